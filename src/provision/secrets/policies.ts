import * as z from "zod";
import type { Administer } from "../../administration/administer.ts";
import type { Call } from "../../http/call.ts";
import { path } from "../../http/path.ts";
import { shaped } from "../../http/upstream.ts";
import { STORE as name } from "../../secrets/answer.ts";
import { type Plan, plan } from "../plan.ts";

const HEADER = "# Made by the platform's provisioning, which keeps it up to date.\n";

const PolicySchema = z.object({ data: z.object({ policy: z.string() }) });

type On = { administer: Administer; adopts: boolean };

export async function planPolicy(call: Call, policy: { name: string; hcl: string }, { administer, adopts }: On): Promise<Plan> {
  const at = `/sys/policies/acl${path`/${policy.name}`}`;
  const answer = await administer(call, { method: "GET", path: at, accepts: [200, 404] });
  const live = answer.status === 404 ? undefined : shaped(name, answer, PolicySchema).data.policy;
  if (live !== undefined && rulesOf(live) === rulesOf(policy.hcl)) return plan();
  const apply = async (call: Call) => void (await administer(call, { method: "PUT", path: at, json: { policy: HEADER + policy.hcl } }));
  if (live === undefined) return plan({ steps: [{ change: `Write the policy "${policy.name}"`, apply }] });
  if (live.startsWith(HEADER) || adopts) return plan({ steps: [{ change: `Write the policy "${policy.name}" anew: it says otherwise`, apply }] });
  return plan({ differences: [`The policy "${policy.name}" says otherwise than the platform needs, and was not made by this command`] });
}

/** Without comments and layout: one that an operator has written by hand may say the same. */
function rulesOf(hcl: string): string {
  return hcl.replace(/^\s*(#|\/\/).*$/gm, "").replace(/\s+/g, " ").trim();
}
