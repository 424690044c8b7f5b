import { beforeAll, expect, it } from "vitest";
import { claimsOf, fresh, idOf, newClient, type Wire } from "./wire.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

export function clientsSuite(at: () => Wire): void {
  let as: string;
  beforeAll(async () => {
    as = await at().serviceToken(at().adminService);
  });

  const call = (line: string, body?: unknown) => at().admin(line, { as, body });
  const works = async (client: { id: string; secret: string }) => (await at().token(client, { grant_type: "client_credentials" })).status;

  it("creates a client with a secret and a service account", async () => {
    const clientId = fresh("Svc-");
    const made = await call("POST /clients", { clientId, serviceAccountsEnabled: true });
    expect([made.status, made.text]).toEqual([201, ""]);
    const uuid = idOf(made);
    const { status, body } = await call(`GET /clients/${uuid}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: uuid,
      clientId,
      enabled: true,
      secret: expect.stringMatching(/^\S{86}$/),
      publicClient: false,
      bearerOnly: false,
      consentRequired: false,
      standardFlowEnabled: true,
      directAccessGrantsEnabled: false,
      serviceAccountsEnabled: true,
      clientAuthenticatorType: "client-secret",
      protocol: "openid-connect",
      redirectUris: [],
      webOrigins: [],
      fullScopeAllowed: true,
      access: { view: true, configure: true, manage: true },
    });
    const found = await call(`GET /clients?clientId=${clientId}`);
    expect(found.body.map(inOrder)).toEqual([inOrder(body)]);
    const account = await call(`GET /clients/${uuid}/service-account-user`);
    expect(account.body).toEqual({
      id: expect.any(String),
      username: `service-account-${clientId.toLowerCase()}`,
      emailVerified: false,
      enabled: true,
      createdTimestamp: expect.any(Number),
      totp: false,
      disableableCredentialTypes: [],
      requiredActions: [],
      notBefore: 0,
    });
    const token = await at().serviceToken({ id: clientId, secret: body.secret });
    expect(claimsOf(token)).toMatchObject({ azp: clientId, client_id: clientId, aud: "account", sub: account.body.id });
  });

  it("finds a client by its whole id, in its case", async () => {
    const client = await newClient(at());
    expect((await call(`GET /clients?clientId=${client.id}`)).body).toHaveLength(1);
    expect((await call(`GET /clients?clientId=${client.id.toUpperCase()}`)).body).toEqual([]);
    expect((await call(`GET /clients?clientId=${client.id.slice(0, -1)}`)).body).toEqual([]);
    expect((await call(`GET /clients?clientId=${client.id.slice(2, -1)}&search=true`)).body).toHaveLength(1);
    const { body } = await call("GET /clients");
    expect(body.map(({ clientId }: { clientId: string }) => clientId)).toEqual(expect.arrayContaining(["auth-service", "account", "realm-management"]));
  });

  it("refuses a client twice", async () => {
    const client = await newClient(at());
    const answer = await call("POST /clients", { clientId: client.id });
    expect([answer.status, answer.body]).toEqual([409, { errorMessage: `Client ${client.id} already exists` }]);
  });

  it("refuses a client whose service account's name is taken, and leaves nothing", async () => {
    const client = await newClient(at(), { serviceAccountsEnabled: true });
    const clientId = client.id.toUpperCase();
    expect((await call("POST /clients", { clientId, serviceAccountsEnabled: true })).status).toBe(409);
    expect((await call(`GET /clients?clientId=${clientId}`)).body).toEqual([]);
  });

  it("gives exactly one of many parallel creations the client", async () => {
    const clientId = fresh("race-");
    const answers = await Promise.all(Array.from({ length: 8 }, () => call("POST /clients", { clientId, serviceAccountsEnabled: true })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it.each(["with space", "a/b", "ä"])("creates a client with the id %j", async (stem) => {
    const clientId = `${stem}${fresh("-")}`;
    const uuid = idOf(await call("POST /clients", { clientId }));
    expect((await call(`GET /clients?clientId=${encodeURIComponent(clientId)}`)).body).toEqual([expect.objectContaining({ id: uuid })]);
  });

  it.each<[string, Record<string, unknown>, number, unknown]>([
    ["a blank id", { clientId: "" }, 400, { error: "invalid_input", error_description: "Client ID cannot be blank" }],
    ["another protocol", { clientId: "x", protocol: "wibble" }, 400, { error: "invalid_input", error_description: "Invalid protocol: wibble" }],
    ["an id too long", { clientId: "x".repeat(256) }, 500, { error: "unknown_error", error_description: expect.any(String) }],
    ["an id too long for its service account", { clientId: "x".repeat(240), serviceAccountsEnabled: true }, 500, { error: "unknown_error", error_description: expect.any(String) }],
    ["an unknown field", { clientId: "x", wibble: 1 }, 400, { error: expect.stringContaining('Unrecognized field "wibble"') }],
  ])("refuses a client with %s", async (_, body, status, expected) => {
    const answer = await call("POST /clients", body);
    expect([answer.status, answer.body]).toEqual([status, expected]);
  });

  it("changes only what is given, and merges attributes", async () => {
    const client = await newClient(at(), { name: "before", attributes: { one: "1" } });
    expect((await call(`PUT /clients/${client.uuid}`, { attributes: { two: "2" }, enabled: false })).status).toBe(204);
    const { body } = await call(`GET /clients/${client.uuid}`);
    expect(body).toMatchObject({ clientId: client.id, name: "before", enabled: false, secret: client.secret, attributes: { one: "1", two: "2" } });
  });

  it("renames a client, but not to another's id", async () => {
    const client = await newClient(at(), { serviceAccountsEnabled: true });
    const renamed = fresh("renamed-");
    expect((await call(`PUT /clients/${client.uuid}`, { clientId: renamed })).status).toBe(204);
    expect(await works({ ...client, id: renamed })).toBe(200);
    const taken = await call(`PUT /clients/${client.uuid}`, { clientId: "auth-service" });
    expect([taken.status, taken.body]).toEqual([409, { error: "conflict", error_description: "Duplicate resource error" }]);
  });

  it("shows, sets and regenerates the secret", async () => {
    const client = await newClient(at(), { serviceAccountsEnabled: true });
    const shown = await call(`GET /clients/${client.uuid}/client-secret`);
    expect([shown.status, shown.body]).toEqual([200, { type: "secret", value: client.secret }]);
    const { body: made } = await call(`POST /clients/${client.uuid}/client-secret`);
    expect(made).toEqual({ type: "secret", value: expect.stringMatching(/^\S{86}$/) });
    expect([await works(client), await works({ ...client, secret: made.value })]).toEqual([401, 200]);
    await call(`PUT /clients/${client.uuid}`, { secret: "set by hand" });
    expect([await works({ ...client, secret: made.value }), await works({ ...client, secret: "set by hand" })]).toEqual([401, 200]);
    const rotated = await call(`GET /clients/${client.uuid}/client-secret/rotated`);
    expect([rotated.status, rotated.body]).toEqual([404, { error: "Client does not have a rotated secret" }]);
  });

  it("ends a live token when the client is disabled, not when its secret changes", async () => {
    const client = await newClient(at(), { serviceAccountsEnabled: true });
    const live = await at().serviceToken(client);
    const status = async () => (await at().admin("GET /users", { as: live })).status;
    await call(`POST /clients/${client.uuid}/client-secret`);
    expect(await status()).toBe(403);
    await call(`PUT /clients/${client.uuid}`, { enabled: false });
    expect(await status()).toBe(401);
  });

  it("takes the service account away with its switch", async () => {
    const client = await newClient(at(), { serviceAccountsEnabled: true });
    await call(`PUT /clients/${client.uuid}`, { serviceAccountsEnabled: false });
    const answer = await call(`GET /clients/${client.uuid}/service-account-user`);
    expect([answer.status, answer.body]).toEqual([400, { error: `Service account not enabled for the client '${client.id}'` }]);
    await call(`PUT /clients/${client.uuid}`, { serviceAccountsEnabled: true });
    expect((await call(`GET /clients/${client.uuid}/service-account-user`)).status).toBe(200);
  });

  it("deletes a client with its service account", async () => {
    const client = await newClient(at(), { serviceAccountsEnabled: true });
    expect((await call(`DELETE /clients/${client.uuid}`)).status).toBe(204);
    expect(await works(client)).toBe(401);
    expect((await call(`GET /users?username=service-account-${client.id}&exact=true`)).body).toEqual([]);
  });

  it.each(["GET /clients/{}", "PUT /clients/{}", "DELETE /clients/{}", "GET /clients/{}/client-secret", "POST /clients/{}/client-secret", "GET /clients/{}/service-account-user"])(
    "answers %s for an unknown client with 404",
    async (line) => {
      const answer = await call(line.replace("{}", UNKNOWN), line.startsWith("PUT") ? {} : undefined);
      expect([answer.status, answer.body]).toEqual([404, { error: "Could not find client" }]);
    },
  );

  it("gives a public client no secret", async () => {
    const client = await newClient(at(), { publicClient: true, secret: undefined });
    expect((await call(`GET /clients/${client.uuid}`)).body).not.toHaveProperty("secret");
  });
}

/** Its scopes are sets, and come in any order. */
function inOrder<Client extends { defaultClientScopes: string[]; optionalClientScopes: string[] }>(client: Client): Client {
  return { ...client, defaultClientScopes: client.defaultClientScopes.toSorted(), optionalClientScopes: client.optionalClientScopes.toSorted() };
}
