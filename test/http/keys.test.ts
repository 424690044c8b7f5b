import { base64url, generateKeyPair } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type TestPlatform, testPlatform, type Wire } from "../platform.ts";
import { problemOf } from "./problem.ts";
import { macced, type Signer, signedWith, signer } from "./signing.ts";

let platform: TestPlatform;
let kit: Signer;
beforeAll(async () => {
  platform = await testPlatform();
  kit = await signer(platform);
});
afterAll(() => platform.close());

// Cooling down is told to the millisecond, here and inside jose.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());
const pass = (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds);

/** An instance whose way to the keys of the identity provider is `wire`, and how often it went there. */
function keysThrough(wire: Wire) {
  const counted = { fetches: 0 };
  const { request } = platform.instance({
    identity: (asked, onward) => {
      if (!asked.url.endsWith("/certs")) return onward(asked);
      counted.fetches += 1;
      return wire(asked, onward);
    },
  });
  const ask = (token: string) => request("/api/users/USR0", { token });
  return { counted, ask };
}

const FAULTS: Record<string, Wire> = {
  refused: () => Promise.reject(new TypeError("fetch failed")),
  "answered with 503": () => new Response("busy", { status: 503 }),
  "answered with 404": () => Response.json({ keys: [] }, { status: 404 }),
  "HTML instead of JSON": () => new Response("<h1>Welcome</h1>", { headers: { "content-type": "text/html" } }),
  "JSON without keys": () => Response.json({ error: "none" }),
  "JSON that is null": () => Response.json(null),
  "keys that are none": () => Response.json({ keys: [1, "x", null] }),
  redirected: () => new Response(null, { status: 302, headers: { location: "http://attacker.test/" } }),
  endless: () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })),
  silent: () => new Promise<never>(() => {}),
};

test("while the keys cannot be had, a token is neither good nor bad: come again", async () => {
  await Promise.all(
    Object.entries(FAULTS).map(async ([fault, wire]) => {
      const { ask, counted } = keysThrough(wire);
      const token = await kit.good();
      for (let count = 0; count < 5; count++) {
        const answer = await ask(token);
        expect({ fault, ...(await problemOf(answer)), wait: answer.headers.get("retry-after") }).toEqual({ fault, status: 503, code: "UPSTREAM_UNAVAILABLE_503", wait: "5" });
      }
      expect({ fault, ...counted }).toEqual({ fault, fetches: 1 });
    }),
  );
});

test("the keys are fetched again within 5 s of a failure, and what is known is used meanwhile", async () => {
  let isAway = true;
  const { ask, counted } = keysThrough((request, onward) => (isAway ? new Response(null, { status: 503 }) : onward(request)));
  expect((await ask(await kit.good())).status).toBe(503);
  isAway = false;
  pass(5000);
  expect((await ask(await kit.good())).status).toBe(404);
  isAway = true;
  pass(3590_000);
  expect((await ask(await kit.good())).status).toBe(404);
  expect(counted.fetches).toBe(2);
});

test("a flood of unknown key ids makes at most 3 fetches in 15 s, and harms no good token", async () => {
  const { ask, counted } = keysThrough((request, onward) => onward(request));
  expect((await ask(await kit.good())).status).toBe(404);
  pass(60_000);
  counted.fetches = 0;
  for (let step = 0; step < 100; step++) {
    const flood = await Promise.all([1, 2, 3].map((part) => kit.sign(kit.claims(), { kid: `unknown-${step}-${part}` })));
    const statuses = (await Promise.all([...flood, await kit.good()].map(ask))).map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 401, 404]);
    pass(149);
  }
  expect(counted.fetches).toBe(3);
});

test("a key that is new at the identity provider is picked up within 5 s, one that is gone is forgotten with it", async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const fresh = { ...(await crypto.subtle.exportKey("jwk", publicKey)), kid: "fresh", alg: "RS256", use: "sig" };
  const rotated = (kid: string) => signedWith(privateKey, { header: { alg: "RS256", typ: "JWT", kid }, payload: kit.claims() });
  let isRotated = false;
  const { ask } = keysThrough((request, onward) => (isRotated ? Response.json({ keys: [fresh] }) : onward(request)));
  expect((await ask(await kit.good())).status).toBe(404);
  isRotated = true;
  expect((await ask(await rotated("fresh"))).status).toBe(401);
  pass(5000);
  expect((await ask(await rotated("fresh"))).status).toBe(404);
  expect((await ask(await rotated(kit.kid))).status).toBe(401);
  expect((await ask(await kit.good())).status).toBe(401);
});

test("a key set that names no algorithm, or offers others, opens no other way in", async () => {
  const elliptic = await generateKeyPair("ES256", { extractable: true });
  const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
  const { ask } = keysThrough(async () =>
    Response.json({
      keys: [
        { ...kit.publicJwk, kid: kit.kid },
        { ...(await crypto.subtle.exportKey("jwk", elliptic.publicKey)), kid: "elliptic" },
        { kty: "oct", k: base64url.encode(secret), kid: "shared" },
      ],
    }),
  );
  expect((await ask(await kit.good())).status).toBe(404);
  const parts = (alg: string, kid: string) => ({ header: { alg, typ: "JWT", kid }, payload: kit.claims() });
  const others = [
    await kit.sign(kit.claims(), { alg: "RS512" }),
    await kit.sign(kit.claims(), { alg: "PS256" }),
    await signedWith(elliptic.privateKey, parts("ES256", "elliptic")),
    await macced(secret, parts("HS256", "shared")),
  ];
  for (const token of others) expect(await problemOf(await ask(token))).toEqual({ status: 401, code: "UNAUTHENTICATED_401" });
});

test("64 cold callers share one fetch of the keys", async () => {
  const { ask, counted } = keysThrough((request, onward) => onward(request));
  const token = await kit.good();
  const answers = await Promise.all(Array.from({ length: 64 }, () => ask(token)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
  expect(counted.fetches).toBe(1);
});
