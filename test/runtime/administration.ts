import { expect, test } from "vitest";
import { person } from "../platform.ts";
import { client } from "./client.ts";
import type { Launched } from "./launch.ts";

type At = { platform: Launched; request: ReturnType<typeof client>; token: string };

/** What an administrator does through the gateway, and what comes of it at the systems behind. */
export function administration(at: () => At): void {
  const call = (path: string, init: Parameters<At["request"]>[1] = {}) => at().request(`/api/admin${path}`, { token: at().token, ...init });
  let appRole: { roleId: string; secretId: string };

  test("a client is made once, and its token passes internal doors", async () => {
    const made = await call("/inter-service-clients?clientName=billing-service", { method: "POST" });
    expect({ status: made.status, cache: made.headers.get("cache-control") }).toEqual({ status: 200, cache: "no-store" });
    const { clientId, clientSecret } = made.body;
    const again = await call("/inter-service-clients?clientName=billing-service", { method: "POST" });
    expect({ status: again.status, code: again.body["code"] }).toEqual({ status: 409, code: "IDP_CLIENT_ALREADY_EXISTS_409" });

    const { issuer, users } = at().platform;
    const body = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret });
    const granted = await fetch(`${issuer}/protocol/openid-connect/token`, { method: "POST", body });
    const { access_token } = (await granted.json()) as { access_token: string };
    const inside = await client(users)("/internal/api/login-attempts", { token: access_token, json: { username: "somebody" } });
    expect(inside.status).toBe(201);
  });

  test("a role is made once, found by its name, and listed", async () => {
    const role = { name: "Auditor / Prüfer", description: "Reads everything" };
    const made = await call("/realm-roles", { json: role });
    expect({ status: made.status, code: made.body["responseCode"] }).toEqual({ status: 200, code: "IDP_ROLE_CREATED_200" });
    expect((await call("/realm-roles", { json: role })).body["code"]).toBe("IDP_ROLE_ALREADY_EXISTS_409");
    const found = await call(`/realm-role?${new URLSearchParams({ roleName: role.name })}`);
    expect(found.body).toMatchObject({ ...role, composite: false });
    expect((await call("/realm-role?roleName=nobody")).status).toBe(404);
    expect((await call("/realm-roles")).body).toContainEqual(expect.objectContaining(role));
  });

  test("a policy is written, listed, and taken away", async () => {
    const written = await call("/vault/policies?service=user-service", { method: "POST" });
    expect({ status: written.status, code: written.body["responseCode"] }).toEqual({ status: 200, code: "VAULT_POLICY_CREATED_200" });
    expect((await call("/vault/policies?service=gateway", { method: "POST" })).status).toBe(200);
    expect((await call("/vault/policies?service=gateway", { method: "DELETE" })).body["responseCode"]).toBe("VAULT_POLICY_DELETED_200");
    const { body } = await call("/vault/policies");
    expect(body).toContain("user-service-policy");
    expect(body).not.toContain("gateway-policy");
  });

  test("an AppRole is made once, shown, listed, and gets fresh credentials", async () => {
    const role = { roleName: "user-service", policies: ["user-service-policy"] };
    const made = await call("/vault-approle", { json: role });
    expect(made.status).toBe(200);
    expect((await call("/vault-approle", { json: role })).status).toBe(409);
    expect((await call("/vault-approle", { json: { roleName: "too-much", policies: ["Root "] } })).status).toBe(400);
    const shown = await call("/vault-approle/user-service");
    expect(shown.body).toMatchObject({ data: { token_policies: ["user-service-policy"], token_ttl: 3600, token_max_ttl: 14_400 }, leastDuration: 0 });
    expect((await call("/vault-approle")).body).toContain("user-service");
    const fresh = await call("/vault-approle/secrets?appRole=user-service");
    expect({ status: fresh.status, cache: fresh.headers.get("cache-control") }).toEqual({ status: 200, cache: "no-store" });
    appRole = fresh.body as typeof appRole;
    expect(appRole.roleId).toBe(made.body["roleId"]);
    expect(appRole.secretId).not.toBe(made.body["secretId"]);
  });

  test("secrets are written whole, patched, read by their service and by nobody else's", async () => {
    const secrets = Array.from({ length: 50 }, (_, index) => ({ key: `key-${index}`, secret: `canary-secret-${index}` }));
    expect((await call("/vault-secrets", { json: { service: "user-service", secrets } })).body["responseCode"]).toBe("VAULT_SECRET_CREATED_200");
    const patch = { service: "user-service", secrets: [{ key: "key-0", secret: "canary-secret-changed" }] };
    expect((await call("/vault-secrets", { method: "PUT", json: patch })).body["responseCode"]).toBe("VAULT_SECRET_UPDATED_200");
    const read = await call("/vault-secrets?service=user-service");
    expect(Object.keys(read.body)).toHaveLength(50);
    expect(read.body).toMatchObject({ "key-0": "canary-secret-changed", "key-49": "canary-secret-49" });
    expect((await call("/vault-secrets", { json: { service: "auth-service", secrets } })).status).toBe(200);

    const store = client(at().platform.secrets);
    const login = await store("/v1/auth/approle/login", { json: { role_id: appRole.roleId, secret_id: appRole.secretId } });
    const headers = { "x-vault-token": login.body["auth"].client_token };
    expect((await store("/v1/secret/data/platform/user-service/dev", { headers })).body["data"].data).toHaveProperty("key-49", "canary-secret-49");
    expect((await store("/v1/secret/data/platform/auth-service/dev", { headers })).status).toBe(403);
  });

  test("secrets and AppRoles are taken away", async () => {
    expect((await call("/vault-secrets?service=auth-service", { method: "DELETE" })).body["responseCode"]).toBe("VAULT_SECRET_DELETED_200");
    const gone = await call("/vault-secrets?service=auth-service");
    expect({ status: gone.status, code: gone.body["code"] }).toEqual({ status: 404, code: "VAULT_SECRET_NOT_FOUND_404" });
    expect((await call("/vault-approle?role=user-service", { method: "DELETE" })).body["responseCode"]).toBe("VAULT_APPROLE_DELETED_200");
    expect((await call("/vault-approle")).body).not.toContain("user-service");
  });

  test("a topic is made once, listed and described; what the broker refuses is told", async () => {
    const topic = { topicName: "platform.orders", numPartitions: 3, replicationFactor: 1, timeoutMs: 5000 };
    expect((await call("/topics", { json: topic })).body).toMatchObject({ responseCode: "200", message: "Topic created successfully" });
    const again = await call("/topics", { json: topic });
    expect({ status: again.status, code: again.body["code"], detail: again.body["detail"] }).toEqual({
      status: 400,
      code: "TOPIC_CREATION_FAILED_400",
      detail: expect.stringContaining("already exists"),
    });
    expect((await call("/topics?listInternal=false")).body).toContainEqual({ name: "platform.orders", isInternal: false });
    const described = await call("/topics/describe?topicNames=platform.orders");
    expect(described.body).toEqual([{ name: "platform.orders", partitions: 3, isInternal: false, aclOperation: expect.arrayContaining([3, 4, 8]) }]);
  });

  test("an ordinary user may do none of it", async () => {
    const { request } = at();
    const user = person();
    const { body } = await request("/api/users/register", { json: user });
    const { text: token } = await request("/api/auth/authenticate", { json: { username: body["userId"], password: user.password } });
    for (const [method, path] of [["DELETE", "/vault-secrets?service=user-service"], ["GET", "/realm-roles"], ["GET", "/topics"]]) {
      const refused = await call(path!, { method: method!, token });
      expect({ path, status: refused.status, code: refused.body["code"] }).toEqual({ path, status: 403, code: "FORBIDDEN_403" });
    }
  });
}
