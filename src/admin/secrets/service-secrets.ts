import type { Call } from "../../http/call.ts";
import { Problem } from "../../http/problem.ts";
import type { SecretsStore } from "../../secrets/vault.ts";

export type SecretsNeeds = { secrets: SecretsStore };

export type NewSecrets = { service: string; secrets: { key: string; secret: string }[] };

/** Each conflict means that another writer got through: of 20 at once, all but one find a document at their second try. */
const MAX_TRIES = 8;

/**
 * Writes all entries as one version, and keeps what else is there: a merge patch, which is atomic upstream, or where there is
 * no document a put that fails when somebody else was first. Throws `VAULT_SECRET_CONFLICT_409`.
 */
export async function createSecrets(needs: SecretsNeeds, call: Call, asked: NewSecrets): Promise<void> {
  const { secrets } = needs;
  const at = pathOf(asked.service);
  const data = dataOf(asked);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if ((await secrets.patchSecrets(call, at, data)) === "patched") return;
    // After one conflict there is mostly something to patch; where there is still nothing, a deleted version is in the way.
    const cas = tries === 0 ? 0 : await deletedVersion(needs, call, at);
    if ((await secrets.writeSecrets(call, at, { data, cas })) === "written") return;
  }
  throw new Problem("VAULT_SECRET_CONFLICT_409", `The secrets of "${asked.service}" are being changed by others`, { retryAfter: 1 });
}

/** The version of a document that was deleted but not destroyed, which the next put has to name; else 0. */
async function deletedVersion({ secrets }: SecretsNeeds, call: Call, at: string): Promise<number> {
  const version = await secrets.currentVersion(call, at);
  // In this order: the version of a document that lives must never come out, for a put of it would drop its other keys.
  return (await secrets.readSecrets(call, at)) ? 0 : version;
}

/** Merges the entries into what is there. Throws `VAULT_SECRET_NOT_FOUND_404` when that is nothing. */
export async function updateSecrets({ secrets }: SecretsNeeds, call: Call, asked: NewSecrets): Promise<void> {
  if ((await secrets.patchSecrets(call, pathOf(asked.service), dataOf(asked))) === "missing") throw noSecrets(asked.service);
}

export async function readSecrets({ secrets }: SecretsNeeds, call: Call, service: string): Promise<Record<string, unknown>> {
  const found = await secrets.readSecrets(call, pathOf(service));
  if (!found) throw noSecrets(service);
  return found.data;
}

export function deleteSecrets({ secrets }: SecretsNeeds, call: Call, service: string): Promise<void> {
  return secrets.deleteSecrets(call, pathOf(service));
}

function pathOf(service: string): string {
  return `platform/${service}/dev`;
}

function dataOf({ secrets }: NewSecrets): Record<string, string> {
  return Object.fromEntries(secrets.map(({ key, secret }) => [key, secret]));
}

function noSecrets(service: string): Problem {
  return new Problem("VAULT_SECRET_NOT_FOUND_404", `There are no secrets of "${service}"`);
}
