import * as z from "zod";
import type { Call } from "../http/call.ts";
import { shaped, upstreamProblem } from "../http/upstream.ts";
import { isDone, isNothing, keysIn, STORE } from "./answer.ts";
import { segment } from "./name.ts";
import type { Session } from "./session.ts";

export type VaultAnswer = { data: Record<string, unknown>; leaseDuration: number; leaseId: string; requestId: string };

export type NewAppRole = {
  name: string;
  policies: string[];
  /** Times are seconds, or a duration such as `1h`. */
  tokenTtl: number | string;
  tokenMaxTtl: number | string;
  secretIdTtl: number | string;
};

const RoleSchema = z
  .object({ data: z.record(z.string(), z.unknown()), lease_duration: z.number(), lease_id: z.string(), request_id: z.string() })
  .transform(({ data, lease_duration, lease_id, request_id }): VaultAnswer => ({ data, leaseDuration: lease_duration, leaseId: lease_id, requestId: request_id }));
const RoleIdSchema = z.object({ data: z.object({ role_id: z.string().min(1) }) });
const SecretIdSchema = z.object({ data: z.object({ secret_id: z.string().min(1) }) });

const ROLES = "/auth/approle/role";

export function approles(send: Session) {
  async function listAppRoles(call: Call): Promise<string[]> {
    const answer = await send(call, { method: "GET", path: ROLES, query: { list: "true" } });
    if (isNothing(answer)) return [];
    if (!isDone(answer)) throw upstreamProblem(STORE, answer);
    return keysIn(answer);
  }

  async function readAppRole(call: Call, name: string): Promise<VaultAnswer | undefined> {
    const answer = await send(call, { method: "GET", path: `${ROLES}${segment(name)}` });
    if (isNothing(answer)) return undefined;
    if (answer.status !== 200) throw upstreamProblem(STORE, answer);
    return shaped(STORE, answer, RoleSchema);
  }

  /** An existing role is left as it is: creating is an upsert upstream, but not for who lacks the right to update. */
  async function createAppRole(call: Call, { name, policies, tokenTtl, tokenMaxTtl, secretIdTtl }: NewAppRole): Promise<"created" | "exists"> {
    if (await readAppRole(call, name)) return "exists";
    const json = { token_policies: policies, token_ttl: tokenTtl, token_max_ttl: tokenMaxTtl, secret_id_ttl: secretIdTtl, bind_secret_id: true };
    const answer = await send(call, { method: "POST", path: `${ROLES}${segment(name)}`, json }).catch(async (error: unknown) => {
      // A role that may be there all the same would keep its name from whoever tries again. Of a store that is away now, it stays.
      await deleteAppRole(call, name).catch(() => {});
      throw error;
    });
    if (isDone(answer)) return "created";
    // Whoever loses a race is refused with 403, or by OpenBao with 500 when both were at it: then the role is there now.
    if ((answer.status === 403 || answer.status === 500) && (await readAppRole(call, name))) return "exists";
    throw upstreamProblem(STORE, answer);
  }

  async function readRoleId(call: Call, name: string): Promise<string | undefined> {
    const answer = await send(call, { method: "GET", path: `${ROLES}${segment(name)}/role-id` });
    if (isNothing(answer)) return undefined;
    if (answer.status !== 200) throw upstreamProblem(STORE, answer);
    return shaped(STORE, answer, RoleIdSchema).data.role_id;
  }

  /** Mints a credential of the role; undefined when there is no such role. Never repeated. */
  async function newSecretId(call: Call, name: string): Promise<string | undefined> {
    const answer = await send(call, { method: "POST", path: `${ROLES}${segment(name)}/secret-id`, json: {} });
    // Of the 404 that means "no such role" the servers give a sentence, and of a missing mount another.
    if (answer.status === 404 && !(await readAppRole(call, name))) return undefined;
    if (answer.status !== 200) throw upstreamProblem(STORE, answer);
    return shaped(STORE, answer, SecretIdSchema).data.secret_id;
  }

  async function deleteAppRole(call: Call, name: string): Promise<void> {
    const answer = await send(call, { method: "DELETE", path: `${ROLES}${segment(name)}` });
    if (!isDone(answer)) throw upstreamProblem(STORE, answer);
  }

  return { listAppRoles, readAppRole, createAppRole, readRoleId, newSecretId, deleteAppRole };
}
