import type { Database } from "../../database/client.ts";
import type { Call } from "../../http/call.ts";
import { Problem } from "../../http/problem.ts";
import type { SecretsStore } from "../../secrets/vault.ts";
import { beginCreation, endCreation } from "./creation-store.ts";

export type AppRoleNeeds = {
  db: Database;
  now: () => number;
  newId: () => string;
  secrets: SecretsStore;
  /** Seconds, or a duration such as `720h`, that a secret-id lasts. */
  secretIdTtl: number | string;
};

type Credentials = { roleId: string; secretId: string };

/** Longer than any request lasts. */
const LEASE_MS = 15_000;
const TOKEN_TTL = "1h";
const TOKEN_MAX_TTL = "4h";

/** Creates an AppRole with its first credentials; without them, it does not stay. Throws `VAULT_APPROLE_ALREADY_EXISTS_409`. */
export async function createAppRole(needs: AppRoleNeeds, call: Call, { roleName, policies }: { roleName: string; policies: string[] }): Promise<Credentials> {
  const { db, now, newId } = needs;
  const mine = { name: roleName, creation: newId() };
  const isMine = await beginCreation(db, mine, { now: now(), until: now() + LEASE_MS });
  if (!isMine) throw new Problem("VAULT_APPROLE_ALREADY_EXISTS_409", `The AppRole "${roleName}" is being created`);
  try {
    return await createAlone(needs, call, { roleName, policies });
  } finally {
    // A name that cannot be freed now is free with the end of its lease.
    await endCreation(db, mine).catch(() => {});
  }
}

async function createAlone(needs: AppRoleNeeds, call: Call, { roleName, policies }: { roleName: string; policies: string[] }): Promise<Credentials> {
  const { secrets, secretIdTtl } = needs;
  const asked = { name: roleName, policies, tokenTtl: TOKEN_TTL, tokenMaxTtl: TOKEN_MAX_TTL, secretIdTtl };
  if ((await secrets.createAppRole(call, asked)) === "exists") {
    throw new Problem("VAULT_APPROLE_ALREADY_EXISTS_409", `There is an AppRole "${roleName}" already`);
  }
  return issueCredentials(needs, call, roleName).catch(async (error: unknown) => {
    // Of a store that is away now, the role stays; its credentials can be had later.
    await secrets.deleteAppRole(call, roleName).catch(() => {});
    throw error;
  });
}

/** Makes one more secret-id, whatever its caller does with it: never repeated. Throws `VAULT_APPROLE_NOT_FOUND_404`. */
export async function issueCredentials({ secrets }: AppRoleNeeds, call: Call, roleName: string): Promise<Credentials> {
  const roleId = await secrets.readRoleId(call, roleName);
  const secretId = roleId === undefined ? undefined : await secrets.newSecretId(call, roleName);
  if (roleId === undefined || secretId === undefined) throw noSuchAppRole(roleName);
  return { roleId, secretId };
}

export async function deleteAppRole({ secrets }: AppRoleNeeds, call: Call, roleName: string): Promise<void> {
  // Upstream nothing tells whether there was one, and who mistypes a name believes it gone.
  if (!(await secrets.readAppRole(call, roleName))) throw noSuchAppRole(roleName);
  await secrets.deleteAppRole(call, roleName);
}

export function noSuchAppRole(roleName: string): Problem {
  return new Problem("VAULT_APPROLE_NOT_FOUND_404", `There is no AppRole "${roleName}"`);
}
