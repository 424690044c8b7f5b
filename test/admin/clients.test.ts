import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { ADMIN } from "../platform.ts";
import { type AdminPlatform, adminPlatform, auditOf } from "./instance.ts";

let platform: AdminPlatform;
beforeAll(async () => {
  platform = await adminPlatform();
});
afterAll(() => platform.close());

const create = (name: string, on: Pick<AdminPlatform, "call"> = platform) => on.call("POST", `/api/admin/inter-service-clients?clientName=${name}`);

async function created(name: string) {
  const response = await create(name);
  expect(response.status).toBe(200);
  return (await response.json()) as { clientId: string; clientSecret: string };
}

async function clientNamed(name: string) {
  const found = (await platform.operator.ask(`GET /clients?clientId=${name}`)) as Record<string, unknown>[];
  // Its scopes are a set.
  return found.map((client) => ({ ...client, defaultClientScopes: (client["defaultClientScopes"] as string[]).toSorted() }));
}

function tokenFor({ clientId, clientSecret }: { clientId: string; clientSecret: string }) {
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret });
  return platform.identity(new Request(`${platform.issuer}/protocol/openid-connect/token`, { method: "POST", body }));
}

test("a client is confidential, has a service account and no other way in, and its secret is answered once", async () => {
  const response = await create("order-service");
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const body = (await response.json()) as { clientId: string; clientSecret: string };
  expect(body).toEqual({ clientId: "order-service", clientSecret: expect.stringMatching(/^.{32,}$/) });
  const settings = { publicClient: false, serviceAccountsEnabled: true, standardFlowEnabled: false, implicitFlowEnabled: false, directAccessGrantsEnabled: false };
  expect(await clientNamed("order-service")).toEqual([expect.objectContaining({ ...settings, enabled: true, secret: body.clientSecret })]);
  const creations = await platform.database.query("SELECT status FROM admin.client_creations WHERE name = 'order-service'");
  expect(creations).toEqual([{ status: "FINISHED" }]);
});

test("the token of a new client is let in to the internal interface, and not to the administration", async () => {
  const granted = await tokenFor(await created("billing-service"));
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const reserved = await platform.request("/internal/api/login-attempts", { method: "POST", token, json: { username: "nobody" } });
  expect(reserved.status).toBe(201);
  expect(await problemOf(await platform.call("GET", "/api/admin/realm-roles", { token }))).toEqual({ status: 403, code: "FORBIDDEN_403" });
});

test("a name that exists is a conflict, and the client that has it stays as it is", async () => {
  const first = await created("stock-service");
  for (const name of ["stock-service", "admin-service", "account"]) {
    const before = await clientNamed(name);
    expect(await problemOf(await create(name))).toEqual({ status: 409, code: "IDP_CLIENT_ALREADY_EXISTS_409" });
    expect(await clientNamed(name)).toEqual(before);
  }
  expect((await tokenFor(first)).status).toBe(200);
  // Nothing was begun that a sweep would have to look after.
  expect(await platform.database.query("SELECT name FROM admin.client_creations WHERE status <> 'FINISHED'")).toEqual([]);
});

test("a name is taken too when only that of its service account is, in any case", async () => {
  await platform.operator.add({ username: "service-account-mail-service", email: "mail@example.com", password: "Correct-Horse-7-Mail" });
  expect(await problemOf(await create("mail-service"))).toEqual({ status: 409, code: "IDP_CLIENT_ALREADY_EXISTS_409" });
  expect(await clientNamed("mail-service")).toEqual([]);
});

test("of many creations of one name at once exactly one is answered, by whichever instance", async () => {
  const instances = [platform, platform.adminInstance(), platform.adminInstance()];
  const responses = await Promise.all(Array.from({ length: 18 }, (_, index) => create("crowd-service", instances[index % 3])));
  const [won, ...others] = responses.toSorted((a, b) => a.status - b.status);
  expect(won?.status).toBe(200);
  for (const other of others) expect(await problemOf(other)).toEqual({ status: 409, code: "IDP_CLIENT_ALREADY_EXISTS_409" });
  expect((await tokenFor((await won?.json()) as Awaited<ReturnType<typeof created>>)).status).toBe(200);
  expect(await clientNamed("crowd-service")).toHaveLength(1);
  await platform.sweep();
  expect(await clientNamed("crowd-service")).toHaveLength(1);
});

test("the sweep never removes a client that it did not find marked as its own", async () => {
  await created("bystander-service");
  const left = "INSERT INTO admin.client_creations (creation, name, status, due) VALUES (gen_random_uuid(), $1, 'PENDING', now() - interval '1 minute')";
  await platform.database.query(left, ["bystander-service"]);
  await platform.sweep();
  expect(await clientNamed("bystander-service")).toHaveLength(1);
});

test("a creation that the identity provider does not answer with 201 is a failed one", async () => {
  for (const status of [200, 400, 404, 500]) {
    const identity = platform.adminInstance({
      identity: (request, pass) => (request.method === "POST" && request.url.endsWith("/clients") ? new Response("<html>no</html>", { status }) : pass(request)),
    });
    expect(await problemOf(await create("refused-service", identity))).toEqual({ status: 502, code: "IDP_CLIENT_CREATION_FAILED_502" });
  }
  await created("refused-service");
});

test("what a failed step leaves is gone at once", async () => {
  for (const end of ["/service-account-user", "/roles/INTERNAL_SERVICE", "/role-mappings/realm", "/client-secret"]) {
    const failing = platform.adminInstance({ identity: (request, pass) => (request.url.endsWith(end) ? new Response("{}", { status: 403 }) : pass(request)) });
    expect({ end, ...(await problemOf(await create("undone-service", failing))) }).toEqual({ end, status: 502, code: "IDP_CLIENT_CREATION_FAILED_502" });
    expect({ end, left: await clientNamed("undone-service") }).toEqual({ end, left: [] });
  }
});

test("every call leaves one audit event, with its outcome and without the secret", async () => {
  const { clientSecret } = await created("audited-service");
  await create("audited-service");
  const event = { operation: "createInterServiceClient", client: "auth-service", resource: "client/audited-service", requestId: expect.any(String) };
  const events = await auditOf(platform, "client/audited-service");
  const { key } = events[0] ?? {};
  expect(events).toEqual([
    { ...event, key, caller: key, outcome: "succeeded", code: null },
    { ...event, key, caller: key, outcome: "refused", code: "IDP_CLIENT_ALREADY_EXISTS_409" },
  ]);
  expect(key).toBe((await platform.operator.named(ADMIN.username)).id);
  const everything = await platform.database.query("SELECT o::text AS row FROM events.outbox o UNION ALL SELECT c::text FROM admin.client_creations c");
  expect(JSON.stringify([everything, platform.log]).includes(clientSecret)).toBe(false);
});
