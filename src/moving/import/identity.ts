import * as z from "zod";
import { path } from "../../http/path.ts";
import { type Answer, shaped } from "../../http/upstream.ts";
import { IDENTITY_PROVIDER } from "../../identity/admin-rest.ts";
import type { Administer } from "../../provision/administration.ts";
import { DEFAULT_ROLE } from "../kinds.ts";
import type { Roles } from "../schema.ts";
import { type ImportNeeds, newCall } from "./needs.ts";

export type IdentityNeeds = ImportNeeds & { admin: Administer; realm: string };

const ImportedSchema = z.object({ results: z.array(z.object({ action: z.enum(["ADDED", "SKIPPED", "OVERWRITTEN"]), resourceName: z.string(), id: z.string() })) });
const NamesSchema = z.array(z.object({ name: z.string() }));
const MappingsSchema = z.object({ realmMappings: NamesSchema.optional(), clientMappings: z.record(z.string(), z.object({ mappings: NamesSchema })).optional() });

export type Imported = z.infer<typeof ImportedSchema>["results"];

/** What was refused: Keycloak says 500 where a constraint of its database does. */
const REFUSED: readonly number[] = [400, 409, 500];

export function read<T>({ admin, realm, ...needs }: IdentityNeeds, at: string, schema: z.ZodType<T>): Promise<T> {
  return admin(newCall(needs), { method: "GET", path: path`/${realm}` + at }).then((answer) => shaped(IDENTITY_PROVIDER, answer, schema));
}

/** Undefined where there is nothing at `at`. */
export async function find<T>({ admin, realm, ...needs }: IdentityNeeds, at: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const answer = await admin(newCall(needs), { method: "GET", path: path`/${realm}` + at, accepts: [200, 404] });
  return answer.status === 404 ? undefined : shaped(IDENTITY_PROVIDER, answer, schema);
}

/** Whether it was done; false where it was refused for what it is. */
export async function write({ admin, realm, ...needs }: IdentityNeeds, method: "POST" | "PUT" | "DELETE", { at, json }: { at: string; json?: unknown }): Promise<boolean> {
  const answer = await admin(newCall(needs), { method, path: path`/${realm}` + at, ...(json !== undefined && { json }), accepts: [200, 201, 204, ...REFUSED] });
  return !REFUSED.includes(answer.status);
}

/**
 * Keycloak's partial import, the one door by which an id, a time of creation and the hash of a password come in. All of it or
 * nothing: undefined where it was refused.
 */
export async function partialImport({ admin, realm, ...needs }: IdentityNeeds, json: { ifResourceExists: "SKIP" | "OVERWRITE"; users?: unknown; roles?: unknown }): Promise<Imported | undefined> {
  const answer: Answer = await admin(newCall(needs), { method: "POST", path: `${path`/${realm}`}/partialImport`, json, accepts: [200, ...REFUSED] });
  return answer.status === 200 ? shaped(IDENTITY_PROVIDER, answer, ImportedSchema).results : undefined;
}

/** The roles that the user with this id was given. */
export async function rolesOf(needs: IdentityNeeds, id: string): Promise<Roles> {
  const { realmMappings = [], clientMappings = {} } = await read(needs, path`/users/${id}/role-mappings`, MappingsSchema);
  const client = Object.entries(clientMappings).map(([owner, { mappings }]) => [owner, mappings.map(({ name }) => name)] as const);
  return { realm: realmMappings.map(({ name }) => name), client: Object.fromEntries(client) };
}

/** The role that everybody has is called after the realm, in lower case; the realm may have another name now. */
export function inRealm(roles: string[], realm: string): string[] {
  return [...new Set(roles.map((role) => (role.startsWith(DEFAULT_ROLE) ? DEFAULT_ROLE + realm.toLowerCase() : role)))];
}
