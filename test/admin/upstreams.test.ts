import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import type { Wire } from "../platform.ts";
import { never } from "./faults.ts";
import { type AdminPlatform, adminPlatform, type System } from "./instance.ts";
import { good, operations, prepare } from "./operations.ts";

let platform: AdminPlatform;
beforeAll(async () => {
  platform = await adminPlatform();
});
afterAll(() => platform.close());

const DEADLINE_MS = 8000;

const flood = () =>
  new Response(
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    }),
    { headers: { "content-type": "application/json" } },
  );

/** What each fault comes to, for whoever calls. */
const FAULTS: Record<string, { wire: Wire; codes: RegExp }> = {
  refused: { wire: () => Promise.reject(new TypeError("fetch failed")), codes: /^UPSTREAM_UNAVAILABLE_503$/ },
  silent: { wire: () => never, codes: /^UPSTREAM_TIMEOUT_504$/ },
  unavailable: { wire: () => new Response("Bootstrap in progress", { status: 503, headers: { "retry-after": "1" } }), codes: /^UPSTREAM_UNAVAILABLE_503$/ },
  limiting: { wire: () => new Response("<html>slow down</html>", { status: 429 }), codes: /^UPSTREAM_UNAVAILABLE_503$/ },
  "answering HTML": { wire: () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } }), codes: /^(UPSTREAM_BAD_ANSWER|IDP_CLIENT_CREATION_FAILED)_502$/ },
  "answering nothing": { wire: () => new Response(null), codes: /^(UPSTREAM_BAD_ANSWER|IDP_CLIENT_CREATION_FAILED)_502$/ },
  "answering without end": { wire: flood, codes: /^(UPSTREAM_BAD_ANSWER|IDP_CLIENT_CREATION_FAILED)_502$/ },
  redirecting: { wire: () => new Response(null, { status: 307, headers: { location: "http://evil.test/" } }), codes: /^(UPSTREAM_BAD_ANSWER|IDP_CLIENT_CREATION_FAILED)_502$/ },
};

const OUTSIDE: System[] = ["identity", "secrets", "broker"];
const cases = OUTSIDE.flatMap((system) => Object.keys(FAULTS).map((fault) => [system, fault] as const));

describe.for(cases)("%s %s", ([system, fault]) => {
  test("is the documented problem in time, with no more calls than requests, and no other area notices", async () => {
    const { wire, codes } = FAULTS[fault]!;
    let calls = 0;
    const instance = platform.adminInstance({
      [system]: (request: Request, pass: Parameters<Wire>[1]) => {
        calls += 1;
        return wire(request, pass);
      },
    });
    await prepare(platform);
    const began = Date.now();
    const answers = await Promise.all(operations.map(async (operation) => ({ operation, response: await instance.call(...good(operation)) })));
    expect(Date.now() - began).toBeLessThan(DEADLINE_MS + 2000);
    let touched = 0;
    for (const { operation, response } of answers) {
      const { name } = operation;
      if (operation.system !== system) {
        // What one sample deletes, another may just have wanted.
        expect({ name, isFine: response.ok || response.status === 404 }).toEqual({ name, isFine: true });
        continue;
      }
      touched += 1;
      const retryAfter = response.headers.get("retry-after");
      const text = await response.clone().text();
      const { code, status } = await problemOf(response);
      expect({ name, code, retryAfter, isTold: /Welcome|Bootstrap|evil/.test(text) }).toEqual({ name, code: expect.stringMatching(codes), retryAfter: status === 502 ? null : "1", isTold: false });
    }
    // One token or login, asked for once by all who wait; creating a client or a topic looks once more for what it may have left.
    expect({ system, calls }).toEqual({ system, calls: expect.any(Number) });
    expect(calls).toBeLessThanOrEqual(touched + 6);
  });
});

test("a system that is back is used again at once", async () => {
  let isAway = true;
  const away: Wire = (request, pass) => (isAway ? Promise.reject(new TypeError("fetch failed")) : pass(request));
  const instance = platform.adminInstance({ identity: away, secrets: away, broker: away });
  const lists = ["/api/admin/realm-roles", "/api/admin/vault-approle", "/api/admin/topics"];
  for (const path of lists) expect({ path, status: (await instance.call("GET", path)).status }).toEqual({ path, status: 503 });
  isAway = false;
  for (const path of lists) expect({ path, status: (await instance.call("GET", path)).status }).toEqual({ path, status: 200 });
});

test("without its own database nothing is changed, and nothing is given away that could not be audited", async () => {
  for (const wire of [() => Promise.reject(new TypeError("fetch failed")), () => new Response("<html>", { status: 502 })] as Wire[]) {
    const instance = platform.adminInstance({ database: wire });
    for (const operation of operations) {
      await prepare(platform);
      let response = new Response();
      const sent = await platform.sentBy(async () => {
        response = await instance.call(...good(operation));
      });
      const { name, method } = operation;
      expect({ name, status: (await problemOf(response)).status }).toEqual({ name, status: 503 });
      const isRead = method === "GET" && operation.operationId !== "issueSecretId";
      if (!isRead) expect({ name, sent }).toEqual({ name, sent: [] });
    }
  }
});
