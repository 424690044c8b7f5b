import type { Client } from "./clients/client.ts";
import { namedMapper, newSettings, serviceAccountName } from "./clients/registry.ts";
import { openRealm, type IdentityNeeds } from "./realm.ts";
import { defaultRole } from "./users/accounts.ts";
import type { User } from "./users/user.ts";
import { checkProfile } from "./users/validation.ts";
import { realmRoles } from "./provision/realm-roles.ts";
import { isHeld, provideAccounts, provideClients, provideFirstHolder, provideRoles, type AccountToProvide } from "./provision/store.ts";

export type RealmToProvide = {
  /** Secrets of the platform's own clients. */
  secrets: { "auth-service": string; "user-service": string; "admin-service": string };
  /** The password may be empty where somebody is an administrator already. */
  administrator: { username: string; password: string; email?: string | undefined };
};

const ADMIN = "ADMIN";
const AUDIENCES = ["auth-service", "user-service", "admin-service"];

const ACCOUNTS: (AccountToProvide & { client: keyof RealmToProvide["secrets"] })[] = [
  { client: "auth-service", username: serviceAccountName("auth-service"), realmRoles: ["INTERNAL_SERVICE"], managementRoles: ["manage-users"] },
  { client: "user-service", username: serviceAccountName("user-service"), realmRoles: ["INTERNAL_SERVICE"], managementRoles: ["manage-users"] },
  {
    client: "admin-service",
    username: serviceAccountName("admin-service"),
    realmRoles: ["INTERNAL_SERVICE"],
    managementRoles: ["manage-clients", "manage-users", "manage-realm"],
  },
];

/**
 * Brings the realm to where the platform can start: keys, roles, clients with these secrets, and an administrator when
 * nobody is one. Safe to repeat, and to run from several instances at once; what people changed since stays.
 */
export async function provisionIdentity(needs: IdentityNeeds, { secrets, administrator }: RealmToProvide): Promise<{ administratorCreated: boolean }> {
  for (const [client, secret] of Object.entries(secrets)) {
    if (!secret) throw new Error(`Cannot provide the client "${client}": it has no secret`);
  }
  const realm = openRealm(needs);
  const { db } = realm;
  const now = realm.now();
  await realm.keys();
  await provideClients(db, [
    ...ACCOUNTS.map(({ client }) => platformClient(client, secrets[client], now)),
    ...["account", "realm-management"].map((client) => builtInClient(client, now)),
  ]);
  await provideRoles(db, realmRoles(realm.name));
  await provideAccounts(db, ACCOUNTS, now);

  if (await isHeld(db, ADMIN)) return { administratorCreated: false };
  if (!administrator.password) throw new Error(`Cannot create the administrator "${administrator.username}": there is no password`);
  const user = firstAdministrator(administrator, { now, password: await realm.hash(administrator.password) });
  const administratorCreated = await provideFirstHolder(db, user, [ADMIN, defaultRole(realm)]);
  if (!administratorCreated && !(await isHeld(db, ADMIN))) {
    throw new Error(`Cannot create the administrator "${user.username}": the name or e-mail belongs to a user without the role ${ADMIN}`);
  }
  return { administratorCreated };
}

function platformClient(clientId: string, secret: string, now: number): Client {
  const isAuthService = clientId === "auth-service";
  const settings = newSettings(
    {
      name: clientId,
      standardFlowEnabled: false,
      serviceAccountsEnabled: true,
      directAccessGrantsEnabled: isAuthService,
      // Without an audience of their own, introspection would tell the services nothing about a token.
      protocolMappers: isAuthService ? AUDIENCES.map(audienceMapper) : undefined,
    },
    now,
  );
  return { id: crypto.randomUUID(), clientId, enabled: true, secret, settings };
}

/** A client that only owns roles: nobody can sign in with it. */
function builtInClient(clientId: string, now: number): Client {
  const settings = newSettings({ name: `\${client_${clientId}}`, bearerOnly: true, standardFlowEnabled: false }, now);
  return { id: crypto.randomUUID(), clientId, enabled: true, secret: null, settings };
}

function audienceMapper(audience: string) {
  return namedMapper({
    name: `audience ${audience}`,
    protocol: "openid-connect",
    protocolMapper: "oidc-audience-mapper",
    consentRequired: false,
    config: { "included.client.audience": audience, "access.token.claim": "true", "introspection.token.claim": "true", "id.token.claim": "false" },
  });
}

function firstAdministrator({ username, email }: RealmToProvide["administrator"], { now, password }: { now: number; password: string }): User {
  const name = username.toLowerCase();
  const user: User = {
    id: crypto.randomUUID(),
    username: name,
    // Keycloak lets nobody in without one.
    email: (email ?? `${name}@localhost`).toLowerCase(),
    emailVerified: true,
    firstName: "Platform",
    lastName: "Administrator",
    enabled: true,
    createdTimestamp: now,
    requiredActions: [],
    password,
    serviceAccountClient: null,
  };
  checkProfile(user);
  return user;
}
