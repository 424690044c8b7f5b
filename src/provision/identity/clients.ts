import * as z from "zod";
import { AdministrationError } from "../../administration/administer.ts";
import type { Client, RealmRest } from "../../administration/realm.ts";
import type { Call } from "../../http/call.ts";
import { path } from "../../http/path.ts";
import { audienceMapper, type PlatformClient } from "../../identity/platform-realm.ts";
import { changesIn, isMarked, keptSecret, listed, MARK, type Kept, type Plan, plan, type Planning, type Step } from "../plan.ts";

/** Without `offline_access`: a lock could not end what it gives. */
const SCOPES = ["service_account", "basic", "acr", "roles", "profile", "email"];
/** Reaches past every lock, so no client of ours offers it. */
const FORBIDDEN_SCOPE = "offline_access";

const SecretSchema = z.object({ value: z.string().min(1) });
const ScopesSchema = z.array(z.object({ id: z.string().min(1), name: z.string() }));

export type ClientToPlan = {
  client: PlatformClient;
  /** The setting that its secret is kept under. */
  setting: string;
  /** The secret that the operator gave. */
  given: string | undefined;
};

type On = Planning & { rest: RealmRest; isNew: boolean };

/** Undefined where the client is somebody else's: nothing of it is to be touched, its account neither. */
export async function planClient(call: Call, { client, setting, given }: ClientToPlan, on: On): Promise<{ plan: Plan; isOurs: boolean }> {
  const { rest, kept, adopts, isNew } = on;
  const { clientId } = client;
  const live = isNew ? undefined : await rest.client(call, clientId);
  if (!live) return { isOurs: true, plan: plan({ steps: [{ change: `Make the client "${clientId}", its secret in ${setting}`, apply: (call) => make(call, { rest, client, secret: () => keptSecret(kept, setting, given) }) }] }) };
  if (!isMarked(live.attributes) && !adopts) return { isOurs: false, plan: plan({ differences: [`The client "${clientId}" of the realm "${rest.realm}" was not made by this command`] }) };

  const steps: Step[] = [];
  const wanted = settingsOf(client);
  const changed = [...Object.keys(changesIn(wanted, live)), ...(isMarked(live.attributes) ? [] : ["gatehouse.provisioned"])];
  if (changed.length > 0) {
    const json = { ...wanted, attributes: { ...live.attributes, ...MARK } };
    steps.push({ change: `Set ${listed(changed)} of the client "${clientId}"`, apply: async (call) => void (await rest.send(call, { method: "PUT", path: path`/clients/${live.id}`, json })) });
  }
  steps.push(...missingMappers(live, { client, rest }), ...scopeSteps(live, { rest }));
  return { isOurs: true, plan: plan({ steps: [...steps, ...(await secretSteps(call, live, { rest, kept, setting, given }))] }) };
}

function settingsOf({ clientId, directAccessGrants }: PlatformClient) {
  return {
    name: clientId,
    enabled: true,
    protocol: "openid-connect",
    publicClient: false,
    bearerOnly: false,
    consentRequired: false,
    clientAuthenticatorType: "client-secret",
    standardFlowEnabled: false,
    implicitFlowEnabled: false,
    directAccessGrantsEnabled: directAccessGrants,
    serviceAccountsEnabled: true,
    // Without it, a token would not list the roles of its account.
    fullScopeAllowed: true,
  };
}

async function make(call: Call, { rest, client, secret }: { rest: RealmRest; client: PlatformClient; secret: () => string }): Promise<void> {
  const json = {
    ...settingsOf(client),
    clientId: client.clientId,
    secret: secret(),
    attributes: MARK,
    defaultClientScopes: SCOPES,
    optionalClientScopes: [],
    protocolMappers: client.audiences.map(audienceMapper),
  };
  const answer = await rest.send(call, { method: "POST", path: "/clients", json, accepts: [201, 409] });
  if (answer.status === 201 || (await rest.client(call, client.clientId))) return;
  throw new AdministrationError(`Cannot make the client "${client.clientId}": the name of its service account belongs to another client or a user of the realm "${rest.realm}"`);
}

function missingMappers(live: Client, { client, rest }: { client: PlatformClient; rest: RealmRest }): Step[] {
  const mappers = (live.protocolMappers ?? []).filter(({ protocolMapper }) => protocolMapper === "oidc-audience-mapper");
  const named = new Set(mappers.map(({ config }) => config?.["included.client.audience"]));
  return client.audiences
    .filter((audience) => !named.has(audience))
    .map((audience) => ({
      change: `Name "${audience}" in the audience of the tokens of "${client.clientId}"`,
      apply: async (call) => void (await rest.send(call, { method: "POST", path: path`/clients/${live.id}/protocol-mappers/models`, json: audienceMapper(audience), accepts: [201, 409] })),
    }));
}

function scopeSteps(live: Client, { rest }: { rest: RealmRest }): Step[] {
  const lists = { default: live.defaultClientScopes ?? [], optional: live.optionalClientScopes ?? [] };
  const missing = SCOPES.filter((scope) => !lists.default.includes(scope));
  const forbidden = (["default", "optional"] as const).filter((kind) => lists[kind].includes(FORBIDDEN_SCOPE));
  const change = (method: "PUT" | "DELETE", kind: string, scope: string) => async (call: Call) => {
    const scopes = (await rest.find(call, { path: "/client-scopes" }, ScopesSchema)) ?? [];
    const found = scopes.find((one) => one.name === scope);
    if (found) await rest.send(call, { method, path: path`/clients/${live.id}/${`${kind}-client-scopes`}/${found.id}` });
  };
  return [
    ...missing.map((scope) => ({ change: `Add the scope "${scope}" to the client "${live.clientId}"`, apply: change("PUT", "default", scope) })),
    ...forbidden.map((kind) => ({ change: `Take the scope "${FORBIDDEN_SCOPE}" from the client "${live.clientId}"`, apply: change("DELETE", kind, FORBIDDEN_SCOPE) })),
  ];
}

type Secrets = { rest: RealmRest; kept: Kept; setting: string; given: string | undefined };

/** Where nobody gave one, the provider's is the truth: it may have been changed there. */
async function secretSteps(call: Call, live: Client, { rest, kept, setting, given }: Secrets): Promise<Step[]> {
  const at = path`/clients/${live.id}/client-secret`;
  const read = async (call: Call) => (await rest.read(call, { path: at }, SecretSchema)).value;
  const actual = await read(call);
  if (given !== undefined && given !== actual) {
    const apply = async (call: Call) => {
      const secret = keptSecret(kept, setting, given);
      await rest.send(call, { method: "PUT", path: path`/clients/${live.id}`, json: { secret } });
    };
    return [{ change: `Set the secret of the client "${live.clientId}" to what ${setting} says`, apply }];
  }
  if (kept.get(setting) === actual) return [];
  return [{ change: `Keep the secret of the client "${live.clientId}" in ${setting}`, apply: async (call) => kept.keep({ [setting]: await read(call) }) }];
}
