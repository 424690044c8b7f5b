import * as z from "zod";
import { type Administer, AdministrationError } from "../../administration/administer.ts";
import { vaultAdmin } from "../../administration/vault.ts";
import type { Call } from "../../http/call.ts";
import type { Fetch } from "../../http/fetch.ts";
import { jsonOf } from "../../http/upstream.ts";
import { STORE as name } from "../../secrets/answer.ts";
import { PLATFORM_APPROLES, type PlatformAppRole, platformPolicies } from "../../secrets/platform-policies.ts";
import { type Plan, plan, type Planning, together } from "../plan.ts";
import { type AppRoleToPlan, planAppRole } from "./approles.ts";
import { planMounts } from "./mounts.ts";
import { planPolicy } from "./policies.ts";

export type SecretsToPlan = {
  url: string;
  namespace: string | undefined;
  /** An administrator's. */
  token: string;
  /** Those whose `{service}-policy` the administration service writes. */
  services: readonly string[];
  approles: Record<PlatformAppRole, Pick<AppRoleToPlan, "roleId" | "secretId">>;
};

const HealthSchema = z.object({ initialized: z.boolean(), sealed: z.boolean() });
const AuditSchema = z.object({ data: z.record(z.string(), z.unknown()) });

/** What a Vault or OpenBao lacks to be the platform's secrets store. */
export async function planSecrets(call: Call, system: SecretsToPlan, on: Planning & { fetch: Fetch; now: () => number }): Promise<Plan> {
  const { url, services, approles } = system;
  const administer = vaultAdmin({ ...on, ...system });
  await checkHealth(call, administer, url);
  const { steps, hasAppRole } = await planMounts(call, administer);
  const plans = [plan({ steps })];
  for (const [name, hcl] of Object.entries(platformPolicies(services))) plans.push(await planPolicy(call, { name, hcl }, { ...on, administer }));
  for (const [role, policy] of Object.entries(PLATFORM_APPROLES)) {
    plans.push(await planAppRole(call, { role, policy, ...approles[role as PlatformAppRole] }, { ...on, administer, hasMount: hasAppRole }));
  }
  return together(...plans, plan({ notes: await auditNotes(call, administer) }));
}

async function checkHealth(call: Call, administer: Administer, url: string): Promise<void> {
  const answer = await administer(call, { method: "GET", path: "/sys/health", accepts: [200, 429, 472, 473, 501, 503] });
  const health = HealthSchema.safeParse(jsonOf(answer.text)).data;
  if (answer.status === 200) return;
  const why = health?.initialized === false ? "is not initialised" : health?.sealed ? "is sealed" : "is not the active server";
  throw new AdministrationError(`Cannot provision the ${name} at "${url}": it ${why}`);
}

/** Where it writes what was done is the operator's choice. */
async function auditNotes(call: Call, administer: Administer): Promise<string[]> {
  const answer = await administer(call, { method: "GET", path: "/sys/audit", accepts: [200, 403, 404] });
  const devices = AuditSchema.safeParse(jsonOf(answer.text)).data?.data;
  return devices && Object.keys(devices).length === 0 ? [`The ${name} writes no audit log: enable an audit device`] : [];
}
