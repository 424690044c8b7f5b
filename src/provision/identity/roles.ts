import type { RealmRest } from "../../administration/realm.ts";
import type { Call } from "../../http/call.ts";
import { PLATFORM_ROLES } from "../../identity/platform-realm.ts";
import { type Plan, plan, type Step } from "../plan.ts";

/** A role says nothing but its name: one that is there will do. */
export async function planRoles(call: Call, { rest, isNew }: { rest: RealmRest; isNew: boolean }): Promise<Plan> {
  const steps: Step[] = [];
  for (const role of PLATFORM_ROLES) {
    if (!isNew && (await rest.role(call, role.name))) continue;
    const apply = async (call: Call) => void (await rest.send(call, { method: "POST", path: "/roles", json: role, accepts: [201, 409] }));
    steps.push({ change: `Make the realm role "${role.name}"`, apply });
  }
  return plan({ steps });
}
