import { expect, it } from "vitest";
import { allow, fresh, type Wire } from "./wire.ts";

export function healthSuite(at: () => Wire): void {
  it("is active, and says so without a token", async () => {
    const answer = await at().call("GET sys/health", { as: null });
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ initialized: true, sealed: false, standby: false, version: expect.any(String), server_time_utc: expect.any(Number) })]);
    expect((await at().call("HEAD sys/health", { as: null })).status).toBe(200);
  });
}

export function pathsSuite(at: () => Wire): void {
  // What a URL parser folds away never arrives; what arrives encoded is judged decoded. Writing by these is not tried here:
  // on Vault it spoils the other's document, which is why no such name is ever sent.
  it.each(["svc-a%2f..%2fsvc-b/dev", "svc-a%2F%2e%2e%2Fsvc-b/dev", "svc-a/..%2fsvc-b/dev"])("a token for one service does not read another's by %s", async (trick) => {
    const tree = fresh("tree");
    await at().must(`POST secret/data/${tree}/svc-b/dev`, { body: { data: { secret: "canary-of-b" } } });
    const as = await at().tokenWith(allow(`secret/data/${tree}/svc-a/*`, "read"));
    expect((await at().call(`GET secret/data/${tree}/${trick}`, { as })).text).not.toContain("canary-of-b");
  });

  it("an encoded slash is a slash, for the rights too", async () => {
    const tree = fresh("tree");
    await at().must(`POST secret/data/${tree}%2Fa`, { body: { data: { a: "1" } } });
    expect((await at().must(`GET secret/data/${tree}/a`)).data.data).toEqual({ a: "1" });
    const as = await at().tokenWith(allow(`secret/data/${tree}/*`, "deny") + allow(`secret/data/*`, "read"));
    expect((await at().call(`GET secret/data/${tree}%2Fa`, { as })).status).toBe(403);
  });

  it("a doubled slash is redirected, not served", async () => {
    const answer = await at().call("GET secret/data/platform//zz");
    expect([answer.status, answer.headers.get("location")]).toEqual([307, "/v1/secret/data/platform/zz"]);
  });

  it("another namespace is not served in place of this one", async () => {
    const path = `secret/data/${fresh("doc")}`;
    await at().must(`POST ${path}`, { body: { data: {} } });
    // Vault without namespaces ignores the header (200); OpenBao and the embedded server refuse it.
    expect([200, 404]).toContain((await at().call(`GET ${path}`, { headers: { "x-vault-namespace": "team" } })).status);
  });

  it.each(["GET secret/data/a%0Ab", "GET secret/data/a%00b"])("%s is refused", async (line) => {
    expect((await at().call(line)).status).toBe(400);
  });

  it.each(["QUERY", "HEAD", "OPTIONS"])("%s is no operation", async (method) => {
    expect([400, 405]).toContain((await at().call(`${method} secret/data/x`)).status);
  });
}
