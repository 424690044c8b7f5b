import { afterAll, beforeAll, expect, test } from "vitest";
import { keycloakAdmin } from "../../src/administration/keycloak.ts";
import { realmRest } from "../../src/administration/realm.ts";
import { importClient } from "../../src/moving/import/clients.ts";
import { tally } from "../../src/moving/import/tally.ts";
import { type EmbeddedUnderTest, embeddedUnderTest } from "../identity/embedded.ts";

const EVERYBODY = "default-roles-platform";
const CLIENT = { id: "5a0c1f6e-3d0e-4c53-9a39-6d1f6a1f0b11", clientId: "reports", secret: "reports-secret", enabled: true, publicClient: false, serviceAccountsEnabled: true, attributes: {} };
let provider: EmbeddedUnderTest;

beforeAll(async () => {
  provider = await embeddedUnderTest();
});

afterAll(() => provider.close());

/** The embedded provider has no realm `master`: its administrator is a client of the realm. */
async function imported({ realm, client = {} }: { realm: string[]; client?: Record<string, string[]> }, overwrites = false) {
  const { adminService, baseUrl: url } = provider;
  const send = (request: Request) => provider.fetch(new Request(request.url.replace("/realms/master/", "/realms/platform/"), request));
  const admin = keycloakAdmin({ url, administrator: { clientId: adminService.id, clientSecret: adminService.secret }, fetch: send, now: Date.now });
  const counted = tally(() => {});
  await importClient({ rest: realmRest(admin, "platform"), tally: counted, isDryRun: false, overwrites, now: Date.now }, { client: CLIENT, serviceRoles: { realm, client } });
  const { clients } = Object.fromEntries(counted.counts());
  return Object.entries(clients ?? {}).flatMap(([result, count]) => (count > 0 ? [result] : []));
}

/** What the token of its service account says. */
async function rolesGiven(): Promise<unknown> {
  const form = { grant_type: "client_credentials", client_id: CLIENT.clientId, client_secret: CLIENT.secret };
  const answer = await provider.fetch(new Request(`${provider.baseUrl}/realms/platform/protocol/openid-connect/token`, { method: "POST", body: new URLSearchParams(form) }));
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return (JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/"))) as { realm_access: { roles: string[] } }).realm_access.roles;
}

test("To overwrite a client takes the roles from its service account that it had not, and tells of those that there are not", async () => {
  expect(await imported({ realm: ["INTERNAL_SERVICE", EVERYBODY], client: { "realm-management": ["view-users"] } })).toEqual(["made"]);
  expect(await rolesGiven()).toContain("INTERNAL_SERVICE");
  expect(await imported({ realm: [EVERYBODY] }, true)).toEqual(["changed"]);
  expect(await rolesGiven()).not.toContain("INTERNAL_SERVICE");
  expect(await imported({ realm: ["NOBODY_HAS_IT", EVERYBODY] }, true)).toEqual(["different"]);
});
