import * as z from "zod";
import type { Administer } from "../../administration/administer.ts";
import { path } from "../../http/path.ts";
import { type Answer, jsonOf, shaped } from "../../http/upstream.ts";
import { STORE } from "../../secrets/answer.ts";
import type { AppRole, Policy } from "../schema.ts";
import { covers } from "./covers.ts";
import { type ImportNeeds, newCall } from "./needs.ts";

export type SecretsNeeds = ImportNeeds & { admin: Administer };

/** The `data` at `at`; undefined where there is nothing. */
export async function findAt<T>({ admin, ...needs }: SecretsNeeds, at: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const answer = await admin(newCall(needs), { method: "GET", path: at, accepts: [200, 404] });
  if (answer.status === 404 && (jsonOf(answer.text) as { data?: unknown } | undefined)?.data === undefined) return undefined;
  return shaped(STORE, answer, z.object({ data: schema })).data;
}

/** Whether it was taken; false where the store refused what was sent. */
export async function put({ admin, ...needs }: SecretsNeeds, at: string, json: unknown): Promise<boolean> {
  const answer: Answer = await admin(newCall(needs), { method: "POST", path: at, json, accepts: [200, 204, 400] });
  return answer.status !== 400;
}

/** What is made of the answers for a name that is or is not there, and is or is not as wanted. */
async function settle(
  { tally, isDryRun, overwrites }: SecretsNeeds,
  item: { kind: "policies" | "approles"; name: string; isThere: boolean; isSame: boolean },
  write: () => Promise<boolean>,
): Promise<void> {
  const { kind, name, isThere, isSame } = item;
  if (isSame) return tally.count(kind, "same");
  if (isThere && !overwrites) return tally.tell(kind, "different", `"${name}" is there and says something else`);
  if (isDryRun || (await write())) return tally.count(kind, isThere ? "changed" : "made");
  tally.tell(kind, "failed", `"${name}" was refused`);
}

export async function importPolicy(needs: SecretsNeeds, { name, policy }: Policy): Promise<void> {
  const at = path`/sys/policies/acl/${name}`;
  const there = await findAt(needs, at, z.object({ policy: z.string() }));
  await settle(needs, { kind: "policies", name, isThere: there !== undefined, isSame: there?.policy === policy }, () => put(needs, at, { policy }));
}

/** With its role-id, which its service has; secret-ids are kept hashed and cannot be moved. */
export async function importAppRole(needs: SecretsNeeds, { name, roleId, settings }: AppRole): Promise<void> {
  const at = path`/auth/approle/role/${name}`;
  const there = await findAt(needs, at, z.record(z.string(), z.unknown()));
  const isSame = there !== undefined && covers(there, settings) && (await idOf(needs, at)) === roleId;
  await settle(needs, { kind: "approles", name, isThere: there !== undefined, isSame }, async () => {
    // Given with the rest, so that a role is never there with an id that its service has not.
    if (!(await put(needs, at, { ...settings, role_id: roleId }))) return false;
    return (await idOf(needs, at)) === roleId || put(needs, `${at}/role-id`, { role_id: roleId });
  });
}

async function idOf(needs: SecretsNeeds, at: string): Promise<string | undefined> {
  return (await findAt(needs, `${at}/role-id`, z.object({ role_id: z.string() })))?.role_id;
}
