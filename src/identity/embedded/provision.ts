import { ADMIN, administratorProfile, audienceMapper, defaultRole, PLATFORM_SERVICES, type PlatformClient, platformClients, type PlatformService } from "../platform-realm.ts";
import type { Client } from "./clients/client.ts";
import { namedMapper, newSettings, serviceAccountName } from "./clients/registry.ts";
import { openRealm, type IdentityNeeds } from "./realm.ts";
import type { User } from "./users/user.ts";
import { checkProfile } from "./users/validation.ts";
import { realmRoles } from "./provision/realm-roles.ts";
import { isHeld, provideAccounts, provideClients, provideFirstHolder, provideRoles, type AccountToProvide } from "./provision/store.ts";

export type RealmToProvide = {
  /** Secrets of the platform's own clients. */
  secrets: Record<PlatformService, string>;
  /** The password may be empty where somebody is an administrator already. */
  administrator: { username: string; password: string };
};

const CLIENTS = platformClients({ "auth-service": "auth-service", "user-service": "user-service", "admin-service": "admin-service" });

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
    ...PLATFORM_SERVICES.map((service) => platformClient(CLIENTS[service], secrets[service], now)),
    ...["account", "realm-management"].map((client) => builtInClient(client, now)),
  ]);
  await provideRoles(db, realmRoles(realm.name));
  await provideAccounts(db, Object.values(CLIENTS).map(accountOf), now);

  if (await isHeld(db, ADMIN)) return { administratorCreated: false };
  if (!administrator.password) throw new Error(`Cannot create the administrator "${administrator.username}": there is no password`);
  const user = firstAdministrator(administrator, { now, password: await realm.hash(administrator.password) });
  const administratorCreated = await provideFirstHolder(db, user, [ADMIN, defaultRole(realm.name)]);
  if (!administratorCreated && !(await isHeld(db, ADMIN))) {
    throw new Error(`Cannot create the administrator "${user.username}": the name or e-mail belongs to a user without the role ${ADMIN}`);
  }
  return { administratorCreated };
}

function accountOf({ clientId, realmRoles, managementRoles }: PlatformClient): AccountToProvide {
  return { client: clientId, username: serviceAccountName(clientId), realmRoles, managementRoles };
}

function platformClient({ clientId, directAccessGrants, audiences }: PlatformClient, secret: string, now: number): Client {
  const settings = newSettings(
    {
      name: clientId,
      standardFlowEnabled: false,
      serviceAccountsEnabled: true,
      directAccessGrantsEnabled: directAccessGrants,
      protocolMappers: audiences.length > 0 ? audiences.map((audience) => namedMapper(audienceMapper(audience))) : undefined,
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

function firstAdministrator({ username }: RealmToProvide["administrator"], { now, password }: { now: number; password: string }): User {
  const user: User = {
    ...administratorProfile(username),
    id: crypto.randomUUID(),
    createdTimestamp: now,
    requiredActions: [],
    password,
    serviceAccountClient: null,
  };
  checkProfile(user);
  return user;
}
