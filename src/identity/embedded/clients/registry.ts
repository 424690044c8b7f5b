import { defaultRole } from "../../platform-realm.ts";
import type { Realm } from "../realm.ts";
import { conflict, notFound, oauthError, unforeseen, type Refusal } from "../refusal.ts";
import { isUuid } from "../users/accounts.ts";
import type { Client, ClientSettings, ProtocolMapper } from "./client.ts";
import type { ClientInput } from "./schema.ts";
import { getClient, insertClient, updateClient } from "./store.ts";

const MAX_LENGTH = 255;
const SERVICE_ACCOUNT = "service-account-";

export async function requireClient(realm: Realm, id: string): Promise<Client> {
  const client = isUuid(id) ? await getClient(realm.db, id) : undefined;
  if (!client) throw notFound("Could not find client");
  return client;
}

/** Adds a client, with its service account where it has one; answers its id. */
export async function createClient(realm: Realm, input: ClientInput): Promise<string> {
  const id = crypto.randomUUID();
  const clientId = input.clientId ?? id;
  checkInput({ ...input, clientId });
  const client: Client = {
    id,
    clientId,
    enabled: input.enabled ?? true,
    secret: input.publicClient ? null : input.secret || newSecret(),
    settings: newSettings(input, realm.now()),
  };
  const account = input.serviceAccountsEnabled ? { username: serviceAccountName(clientId), defaultRole: defaultRole(realm.name), now: realm.now() } : undefined;
  if (!(await insertClient(realm.db, client, account))) throw conflict(`Client ${clientId} already exists`);
  return id;
}

/** Changes what is given; attributes are merged. */
export async function changeClient(realm: Realm, client: Client, input: ClientInput): Promise<void> {
  const { clientId = client.clientId, enabled, secret, attributes, ...rest } = withoutNull(input);
  checkInput({ ...input, clientId });
  const settings: ClientSettings = {
    ...client.settings,
    ...rest,
    attributes: withoutNull({ ...client.settings.attributes, ...attributes }) as Record<string, string>,
    protocolMappers: input.protocolMappers ? input.protocolMappers.map(namedMapper) : client.settings.protocolMappers,
  };
  const changed: Client = { ...client, clientId, enabled: enabled ?? client.enabled, secret: secret || client.secret, settings };
  const account = settings.serviceAccountsEnabled ? { username: serviceAccountName(clientId), defaultRole: defaultRole(realm.name), now: realm.now() } : undefined;
  if (!(await updateClient(realm.db, changed, account))) throw oauthError(409, "conflict", "Duplicate resource error");
}

/** 86 characters, as Keycloak's: 512 bits. */
export function newSecret(): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return Array.from(crypto.getRandomValues(new Uint8Array(86)), (byte) => letters[byte % letters.length]).join("");
}

export function serviceAccountName(clientId: string): string {
  return SERVICE_ACCOUNT + clientId.toLowerCase();
}

export function newSettings(input: ClientInput, now: number): ClientSettings {
  const { clientId: _, enabled: __, secret: ___, ...given } = withoutNull(input);
  return {
    surrogateAuthRequired: false,
    alwaysDisplayInConsole: false,
    clientAuthenticatorType: "client-secret",
    redirectUris: [],
    webOrigins: [],
    notBefore: 0,
    bearerOnly: false,
    consentRequired: false,
    standardFlowEnabled: true,
    implicitFlowEnabled: false,
    directAccessGrantsEnabled: false,
    serviceAccountsEnabled: false,
    publicClient: false,
    frontchannelLogout: false,
    protocol: "openid-connect",
    authenticationFlowBindingOverrides: {},
    fullScopeAllowed: true,
    nodeReRegistrationTimeout: -1,
    defaultClientScopes: ["web-origins", ...(input.serviceAccountsEnabled ? ["service_account"] : []), "acr", "profile", "roles", "basic", "email"],
    optionalClientScopes: [],
    ...given,
    attributes: {
      realm_client: "false",
      ...(!input.publicClient && { "client.secret.creation.time": String(Math.floor(now / 1000)) }),
      ...(withoutNull(input.attributes ?? {}) as Record<string, string>),
    },
    protocolMappers: input.protocolMappers?.map(namedMapper),
  };
}

export function namedMapper(mapper: Omit<ProtocolMapper, "id"> & { id?: string | null }): ProtocolMapper {
  return { ...mapper, id: mapper.id ?? crypto.randomUUID() };
}

function checkInput(input: ClientInput & { clientId: string }): void {
  if (input.clientId.trim() === "") throw invalid("Client ID cannot be blank");
  const limit = input.serviceAccountsEnabled ? MAX_LENGTH - SERVICE_ACCOUNT.length : MAX_LENGTH;
  if (input.clientId.length > limit) throw unforeseen();
  if (input.rootUrl && !URL.canParse(input.rootUrl)) throw invalid("Root URL is not a valid URL");
  if (input.protocol && !["openid-connect", "saml"].includes(input.protocol)) throw invalid(`Invalid protocol: ${input.protocol}`);
}

function invalid(description: string): Refusal {
  return oauthError(400, "invalid_input", description);
}

type NonNull<T> = { [Key in keyof T]: Exclude<T[Key], null> };

function withoutNull<T extends object>(object: T): NonNull<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined)) as NonNull<T>;
}
