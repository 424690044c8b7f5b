import { expect, it } from "vitest";
import { vault } from "../../src/secrets/vault.ts";
import { EVERYTHING, embeddedUnderTest } from "./embedded.ts";

it("the client renews its token as it nears its end, and logs in again when renewing does not help", async () => {
  const { fetch, clock, needs, baseUrl, close } = await embeddedUnderTest();
  const sent: string[] = [];
  const journal = (request: Request) => {
    sent.push(new URL(request.url).pathname.replace("/v1/", ""));
    return fetch(request);
  };
  const store = vault({ url: baseUrl, roleId: EVERYTHING.roleId, secretId: EVERYTHING.secretId, fetch: journal, now: needs.now, sharesPending: true });
  for (const seconds of [0, 3500, 80, 5 * 3600]) {
    clock.shift += seconds * 1000;
    await store.listPolicies({ requestId: "request-0001", traceId: "", traceparent: "", deadline: needs.now() + 8000 });
  }
  const list = "sys/policies/acl";
  expect(sent).toEqual(["auth/approle/login", list, list, "auth/token/renew-self", list, "auth/approle/login", list]);
  await close();
});

it("asking whether the server is there takes no place from who reads", async () => {
  const { fetch, needs, baseUrl, close } = await embeddedUnderTest();
  const silent = (request: Request) => (request.url.endsWith("/sys/health") ? new Promise<Response>(() => {}) : fetch(request));
  const store = vault({ url: baseUrl, roleId: EVERYTHING.roleId, secretId: EVERYTHING.secretId, fetch: silent, now: needs.now, sharesPending: true });
  const call = () => ({ requestId: "request-0001", traceId: "", traceparent: "", deadline: needs.now() + 100 });
  const checks = Array.from({ length: 32 }, () => store.check(call()).catch(() => "failed"));
  expect(await store.listPolicies({ ...call(), deadline: needs.now() + 8000 })).toBeDefined();
  expect(await Promise.all(checks)).toContain("failed");
  await close();
});
