import { randomBytes } from "node:crypto";
import type { Database } from "../../src/database/client.ts";
import { embeddedSecrets } from "../../src/secrets/embedded/app.ts";
import { provisionSecrets, type SecretsToProvide } from "../../src/secrets/embedded/provision.ts";
import { type Embedded, realUrl } from "./embedded.ts";
import type { System } from "./system.ts";
import { emptyVault } from "./vault.ts";

type Needs = { db: Database; now: () => number; embedded?: Embedded | undefined };

/** A secrets store with nothing in it but what is given: the Vault that VAULT_URL names, or embedded in `db`. */
export async function openSecrets({ db, now, embedded }: Needs, given: SecretsToProvide): Promise<System> {
  if (realUrl("secrets", embedded)) return emptyVault(given);
  const needs = { db, now, key: randomBytes(32).toString("base64url"), randomBytes };
  await provisionSecrets(needs, given);
  const app = embeddedSecrets(needs);
  return { url: "http://secrets.test", fetch: (request) => app.fetch(request), close: async () => {} };
}
