import { type CryptoKey, exportSPKI, generateKeyPair, importJWK } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN, type TestPlatform, testPlatform } from "../platform.ts";
import { guarded } from "./operations.ts";
import { problemOf } from "./problem.ts";
import { encoded, macced, type Signer, signedWith, signer } from "./signing.ts";

let platform: TestPlatform;
let kit: Signer;
let issued: { access_token: string; refresh_token: string; id_token: string };
beforeAll(async () => {
  platform = await testPlatform();
  kit = await signer(platform);
  const form = { grant_type: "password", client_id: "auth-service", client_secret: "secret-of-auth-service", scope: "openid", ...ADMIN };
  const url = `${platform.issuer}/protocol/openid-connect/token`;
  issued = (await (await platform.identity(new Request(url, { method: "POST", body: new URLSearchParams(form) }))).json()) as typeof issued;
});
afterAll(() => platform.close());

const UNAUTHENTICATED = { status: 401, code: "UNAUTHENTICATED_401" };
const subject = { userId: "USR0", attemptId: crypto.randomUUID() };

/** Calls every guarded operation with this header. */
async function refusals(authorization: string | undefined) {
  const seen = new Set<string>();
  for (const { path, method, body } of guarded) {
    const headers = new Headers({ "content-type": "application/json", ...(authorization !== undefined && { authorization }) });
    const answer = await platform.request(path(subject), { method, headers, ...(body() && { body: JSON.stringify(body()) }) });
    const challenge = answer.headers.get("www-authenticate");
    seen.add(JSON.stringify({ ...(await problemOf(answer)), challenge }));
  }
  return [...seen].map((text) => JSON.parse(text) as unknown);
}

/** Each is a token that a signature, or a claim, keeps from being an access token of ours. */
async function hostileTokens(): Promise<Record<string, string>> {
  const { claims, sign, good, kid, publicJwk } = kit;
  const payload = claims();
  const header = { alg: "RS256", typ: "JWT", kid };
  const now = payload.iat!;
  const other = await generateKeyPair("RS256", { extractable: true });
  const elliptic = await generateKeyPair("ES256");
  const otherJwk = { ...(await crypto.subtle.exportKey("jwk", other.publicKey)), kid, alg: "RS256" };
  const spki = await exportSPKI((await importJWK(publicJwk, "RS256")) as CryptoKey);
  const valid = await good();
  const [head, body, signature] = valid.split(".") as [string, string, string];
  const ofOther = (extra: object) => signedWith(other.privateKey, { header: { ...header, ...extra }, payload });

  const claimsOf: Record<string, Record<string, unknown>> = {
    "of another issuer": { iss: `${platform.identityUrl}/realms/other` },
    "of an issuer with a slash": { iss: `${platform.issuer}/` },
    "of several issuers": { iss: [platform.issuer] },
    "of no issuer": { iss: undefined },
    "expired": { exp: now - 1 },
    "expired now": { exp: now },
    "exp as text": { exp: String(now + 300) },
    "exp negative": { exp: -1 },
    "exp null": { exp: null },
    "no exp": { exp: undefined },
    "exp beyond a day": { exp: now + 86_401 },
    "exp in a million years": { exp: 3e13 },
    "iat in the future": { iat: now + 120, exp: now + 300 },
    "iat long ago": { iat: now - 86_400 },
    "iat as text": { iat: String(now) },
    "iat after exp": { iat: now + 20, exp: now + 10 },
    "no iat": { iat: undefined },
    "nbf in the future": { nbf: now + 60 },
    "nbf as text": { nbf: "0" },
    "no sub": { sub: undefined },
    "sub null": { sub: null },
    "sub empty": { sub: "" },
    "sub a number": { sub: 1 },
    "sub a list": { sub: ["x"] },
    "sub an object": { sub: { toString: "x" } },
    "sub huge": { sub: "x".repeat(256) },
    "sub with a NUL": { sub: "a\0b" },
    "sub with a lone surrogate": { sub: "a\ud800" },
    "sub blank": { sub: " " },
    "no azp": { azp: undefined },
    "azp a list": { azp: ["auth-service"] },
    "azp null": { azp: null },
    "typ Refresh": { typ: "Refresh" },
    "typ ID": { typ: "ID" },
    "typ Logout": { typ: "Logout" },
    "typ bearer": { typ: "bearer" },
    "typ a list": { typ: ["Bearer"] },
    "no typ": { typ: undefined },
  };
  const headersOf: Record<string, Record<string, unknown>> = {
    "RS512": { alg: "RS512" },
    "PS256": { alg: "PS256" },
    "header at+jwt": { typ: "at+jwt" },
    "header without typ": { typ: undefined },
    "header typ a list": { typ: ["JWT"] },
    "no kid": { kid: undefined },
    "kid empty": { kid: "" },
    "kid unknown": { kid: "unknown" },
    "kid of refresh tokens": { kid: kit.refreshKid },
    "kid a number": { kid: 1 },
    "kid a path": { kid: "../../../../dev/null" },
    "kid an injection": { kid: "' OR '1'='1" },
    "crit of what nobody knows": { crit: ["x"], x: true },
    "crit of exp": { crit: ["exp"], exp: 1 },
    "crit empty": { crit: [] },
    "b64 false": { b64: false, crit: ["b64"] },
    "b64 false alone, ignored by nobody": { b64: false, crit: ["b64", "b64"] },
    "compressed": { zip: "DEF", crit: ["zip"] },
  };
  const texts = ["1", "null", "[]", '"x"', "{", "", `{"iss":"${payload.iss}"}`];
  const numbers = ["1e999", "-1e999", "1e-999"];
  return {
    "refresh token of ours": issued.refresh_token,
    "ID token of ours": issued.id_token,
    "alg none": `${encoded({ ...header, alg: "none" })}.${body}.`,
    "alg None with a signature": `${encoded({ ...header, alg: "None" })}.${body}.${signature}`,
    "alg none of two parts": `${encoded({ ...header, alg: "none" })}.${body}`,
    "no alg": `${encoded({ typ: "JWT", kid })}.${body}.${signature}`,
    "HS256 under the public key as PEM": await macced(spki, { header: { ...header, alg: "HS256" }, payload }),
    "HS256 under the public key as JWK": await macced(JSON.stringify(publicJwk), { header: { ...header, alg: "HS256" }, payload }),
    "HS256 under its modulus": await macced(publicJwk.n ?? "", { header: { ...header, alg: "HS256" }, payload }),
    "HS512 under nothing": await macced("x", { header: { alg: "HS512", typ: "JWT", kid: kit.refreshKid }, payload }),
    "ES256": await signedWith(elliptic.privateKey, { header: { ...header, alg: "ES256" }, payload }),
    "wrong key": await ofOther({}),
    "wrong key and jwk": await ofOther({ jwk: otherJwk }),
    "wrong key and jku": await ofOther({ jku: "http://attacker.test/jwks", kid: "theirs" }),
    "wrong key and x5c": await ofOther({ x5c: [Buffer.from(spki).toString("base64")], x5u: "http://attacker.test/x5u" }),
    "another payload": `${head}.${encoded({ ...payload, sub: "other" })}.${signature}`,
    "another header": `${encoded({ ...header, typ: "JWT", x: 1 })}.${body}.${signature}`,
    "no signature": `${head}.${body}.`,
    "half a signature": `${head}.${body}.${signature.slice(0, 170)}`,
    "four parts": `${valid}.${signature}`,
    "five parts": `${head}.${body}.${signature}.${body}.${signature}`,
    "a dot more": `${valid}.`,
    "8 KB and more": await good({ filler: "x".repeat(8192) }),
    "64 KB": await good({ filler: "x".repeat(65_536) }),
    "text": "x",
    "dots": "..",
    "header no object": `${encoded("null")}.${body}.${signature}`,
    ...Object.fromEntries(await Promise.all(Object.entries(claimsOf).map(async ([name, wrong]) => [name, await sign({ ...payload, ...wrong })] as const))),
    ...Object.fromEntries(await Promise.all(Object.entries(headersOf).map(async ([name, wrong]) => [name, await sign(payload, wrong)] as const))),
    ...Object.fromEntries(await Promise.all(texts.map(async (text) => [`payload ${text}`, await sign(text)] as const))),
    ...Object.fromEntries(
      await Promise.all(
        numbers.flatMap((number) =>
          ["exp", "iat"].map(async (claim) => [`${claim} ${number}`, await sign(JSON.stringify({ ...payload, [claim]: "?" }).replace('"?"', number))] as const),
        ),
      ),
    ),
  };
}

test("whatever is not an access token of ours is refused on every guarded route alike, and the caller told how to come", async () => {
  for (const [name, token] of Object.entries(await hostileTokens())) {
    expect({ name, refusals: await refusals(`Bearer ${token}`) }).toEqual({ name, refusals: [{ ...UNAUTHENTICATED, challenge: 'Bearer error="invalid_token"' }] });
  }
  expect(platform.log.filter(({ level }) => level === "error")).toEqual([]);
});

test("no token, another scheme, or more than one token are refused before anything is verified", async () => {
  const { access_token: token } = issued;
  const credentials = Buffer.from(`${ADMIN.username}:${ADMIN.password}`).toString("base64");
  const headers = [undefined, "", "Bearer", "Bearer ", token, `Basic ${credentials}`, `Token ${token}`, `Bearer=${token}`, `Bearer ${token} ${token}`, `Bearer ${token}, Bearer ${token}`, `Bearer  ${token}`, `Bearer "${token}"`, `Bearer\t${token}`, `Digest username="admin"`];
  for (const header of headers) expect({ header, refusals: await refusals(header) }).toEqual({ header, refusals: [{ ...UNAUTHENTICATED, challenge: "Bearer" }] });
});

test("the scheme may be written in any case, and a token may be almost 8 KB long", async () => {
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const answer = await platform.request("/api/users/USR0", { headers: { authorization: `${scheme} ${issued.access_token}` } });
    expect(await problemOf(answer)).toEqual({ status: 404, code: "USER_NOT_FOUND_404" });
  }
  const long = await kit.good({ filler: "x".repeat(5500) });
  expect(long.length).toBeGreaterThan(7900);
  expect((await platform.request("/api/users/USR0", { token: long })).status).toBe(404);
});

test("no claim but a list of realm roles gives a role", async () => {
  const roles = ["ADMIN", "INTERNAL_SERVICE"];
  const strange: Record<string, unknown>[] = [
    ...[undefined, null, "ADMIN", [], roles, 1, { roles: "ADMIN" }, { roles: null }, { roles: { 0: "ADMIN", length: 1 } }, { roles: [roles] }, { roles: [null, 1, {}, ["ADMIN"]] }].map((realm_access) => ({ realm_access })),
    ...[["admin", "internal_service"], ["Admin"], [" ADMIN"], ["ADMIN "], ["ROLE_ROLE_ADMIN"], ["ADMIN,INTERNAL_SERVICE"], ["ADMIN\0"], ["role_ADMIN"]].map((names) => ({ realm_access: { roles: names } })),
    { realm_access: undefined, roles, groups: roles, scope: "ADMIN", resource_access: { "realm-management": { roles }, account: { roles } }, authorities: roles },
  ];
  for (const overrides of strange) {
    const token = await kit.good(overrides);
    const answers = await Promise.all(["/api/users/USR0", "/internal/api/security-details/USR0?loginFailed=true"].map((path) => platform.request(path, { token, method: path.startsWith("/i") ? "PUT" : "GET" })));
    for (const answer of answers) expect({ overrides, ...(await problemOf(answer)) }).toEqual({ overrides, status: 403, code: "FORBIDDEN_403" });
  }
});

test("a token that was found good is refused from its end on", async () => {
  const token = await kit.good({ exp: Math.floor(platform.clock.now() / 1000) + 30 });
  const ask = () => platform.request("/api/users/USR0", { token });
  expect([(await ask()).status, (await ask()).status]).toEqual([404, 404]);
  platform.clock.offset += 31_000;
  expect(await problemOf(await ask())).toEqual(UNAUTHENTICATED);
});
