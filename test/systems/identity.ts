import type { JWK } from "jose";
import type { TestDatabase } from "../database.ts";
import { embeddedIdentity } from "../../src/identity/embedded/app.ts";
import { provisionIdentity, type RealmToProvide } from "../../src/identity/embedded/provision.ts";
import { type Embedded, realUrl } from "./embedded.ts";
import { ownRealm } from "./keycloak.ts";
import type { System } from "./system.ts";

/** `signingKey`: the private one that tokens are signed with. */
export type IdentitySystem = System & { realm: string; signingKey: () => Promise<JWK> };

type Needs = { database: TestDatabase; now: () => number; iterations: number; embedded: Embedded | undefined };

/** An identity provider with a realm of its own: on the Keycloak that KEYCLOAK_URL names, or embedded in `database`. */
export async function openIdentity({ database, now, iterations, embedded }: Needs, given: RealmToProvide): Promise<IdentitySystem> {
  const real = realUrl("identity", embedded);
  if (real) return ownRealm(given);
  const [url, realm] = ["http://identity.test", "platform"];
  const needs = { db: database.db, now, iterations, url, realm };
  await provisionIdentity(needs, given);
  const app = embeddedIdentity(needs);
  const signingKey = async () => {
    const [row] = await database.query("SELECT private_key FROM identity.keys");
    return JSON.parse(row?.["private_key"] ?? "") as JWK;
  };
  return { url, realm, fetch: (request) => app.fetch(request), signingKey, close: async () => {} };
}
