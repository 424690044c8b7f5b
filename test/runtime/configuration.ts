import { expect, test } from "vitest";
import { client, credentialClient } from "./client.ts";
import type { Launched } from "./launch.ts";

type At = { platform: Launched; request: ReturnType<typeof client>; token: string };

const VERSION_2 = "application/vnd.spring-cloud.config-server.v2+json";

/** What applications are told, and by which credential. */
export function configuration(at: () => At): void {
  const ask: ReturnType<typeof credentialClient> = (path, init) => credentialClient(at().platform.configureFrom)(path, init);
  const administer = (path: string, init: object) => at().request(`/api/admin${path}`, { token: at().token, ...init });

  test("all services have read their settings at the configuration server", async () => {
    const { text } = await client(at().platform.configuration)("/actuator/prometheus");
    const [, count] = /^http_server_requests_seconds_count\{[^\n]*uri="\/\{application\}\/\{profiles\}"[^\n]*status="200"[^\n]*\} (\d+)/m.exec(text) ?? [];
    expect(Number(count)).toBeGreaterThanOrEqual(5);
  });

  test("an application is told its configuration with the printed URL, in each form", async () => {
    const { status, body } = await ask("/auth-service/dev");
    expect({ status, name: body["name"], profiles: body["profiles"] }).toEqual({ status: 200, name: "auth-service", profiles: ["dev"] });
    expect(body["propertySources"][0]).toEqual({ name: expect.stringMatching(/\/auth-service\.yml$/), source: { "legacy.get-login": "on" } });
    const second = await ask("/auth-service/dev", { headers: { accept: VERSION_2 } });
    expect(second.headers.get("content-type")).toBe(VERSION_2);
    expect(second.body["propertySources"][0].source).toEqual({ "legacy.get-login": { value: "on", origin: expect.stringMatching(/^\d+:\d+$/) } });
    const [yml, properties, json] = await Promise.all(["yml", "properties", "json"].map((form) => ask(`/auth-service-dev.${form}`)));
    expect(yml?.text).toContain("legacy:\n  get-login: 'on'\n");
    expect(properties?.text).toMatch(/^legacy\.get-login: on$/m);
    expect(json?.body).toMatchObject({ legacy: { "get-login": "on" } });
  });

  test("a service's token brings its own secrets on top, and nobody else's", async () => {
    const { clientId, clientSecret } = (await administer("/inter-service-clients?clientName=ledger-service", { method: "POST" })).body;
    for (const service of ["ledger-service", "gateway"]) {
      const written = await administer("/vault-secrets", { json: { service, secrets: [{ key: "smtp.password", secret: `canary-secret-of-${service}` }] } });
      expect(written.status).toBe(200);
    }
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret });
    const granted = await fetch(`${at().platform.issuer}/protocol/openid-connect/token`, { method: "POST", body: form });
    const { access_token: token } = (await granted.json()) as { access_token: string };

    const own = { name: "secrets:platform/ledger-service/dev", source: { "smtp.password": "canary-secret-of-ledger-service" } };
    const bearer = await client(at().platform.configuration)("/ledger-service/dev", { token });
    expect({ status: bearer.status, first: bearer.body["propertySources"][0] }).toEqual({ status: 200, first: own });
    // As Spring's clients send it: beside the credential in the URL.
    const both = await ask("/ledger-service/dev", { headers: { "x-config-token": token } });
    expect(both.body["propertySources"][0]).toEqual(own);
    for (const [path, headers] of [["/ledger-service/dev", {}], ["/ledger-service/prod", { "x-config-token": token }], ["/gateway/dev", { "x-config-token": token }]] as const) {
      const { status, text } = await ask(path, { headers });
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(text).not.toContain("canary-secret");
    }
  });

  test("a wrong credential is refused, also on the machine itself", async () => {
    const { configuration } = at().platform;
    const wrong: Record<string, string>[] = [{ authorization: `Basic ${btoa("config:a-guess")}` }, { authorization: "Bearer abc" }, { "x-config-token": "a.b.c" }];
    for (const headers of wrong) {
      const { status, body } = await client(configuration)("/auth-service/dev", { headers });
      expect({ status, code: body["code"] }).toEqual({ status: 401, code: "UNAUTHENTICATED_401" });
    }
  });
}
