import * as z from "zod";
import type { RealmRest } from "../../administration/realm.ts";
import { type Exchange, shaped } from "../../http/upstream.ts";
import { IDENTITY_PROVIDER } from "../../identity/admin-rest.ts";
import { DEFAULT_ROLE, defaultRole } from "../../identity/platform-realm.ts";
import { type ImportNeeds, newCall } from "./needs.ts";

export type IdentityNeeds = ImportNeeds & { rest: RealmRest };

const ImportedSchema = z.object({ results: z.array(z.object({ action: z.enum(["ADDED", "SKIPPED", "OVERWRITTEN"]), resourceName: z.string() })) });

export type Imported = z.infer<typeof ImportedSchema>["results"];

/** What was refused: Keycloak says 500 where a constraint of its database does. */
const REFUSED: readonly number[] = [400, 409, 500];

/** Whether it was done; false where it was refused for what it is. */
export async function write(needs: IdentityNeeds, exchange: Exchange): Promise<boolean> {
  const { status } = await needs.rest.send(newCall(needs), { ...exchange, accepts: [200, 201, 204, ...REFUSED] });
  return !REFUSED.includes(status);
}

/**
 * Keycloak's partial import, the one door by which an id, a time of creation and the hash of a password come in. All of it or
 * nothing: undefined where it was refused.
 */
export async function partialImport(needs: IdentityNeeds, json: { ifResourceExists: "SKIP" | "OVERWRITE"; users?: unknown; roles?: unknown }): Promise<Imported | undefined> {
  const answer = await needs.rest.send(newCall(needs), { method: "POST", path: "/partialImport", json, accepts: [200, ...REFUSED] });
  return answer.status === 200 ? shaped(IDENTITY_PROVIDER, answer, ImportedSchema).results : undefined;
}

/** The role that everybody has is called after the realm, which may have another name now. */
export function inRealm(roles: string[], realm: string): string[] {
  return [...new Set(roles.map((role) => (role.startsWith(DEFAULT_ROLE) ? defaultRole(realm) : role)))];
}
