import * as z from "zod";
import type { Administer } from "../../administration/administer.ts";
import type { Call } from "../../http/call.ts";
import { path } from "../../http/path.ts";
import { type Answer, shaped } from "../../http/upstream.ts";
import { STORE as name } from "../../secrets/answer.ts";
import { PLATFORM_TOKEN } from "../../secrets/platform-policies.ts";
import { changesIn, keptSecret, listed, type Kept, PENDING, type Plan, plan, type Planning, type Step } from "../plan.ts";

export type AppRoleToPlan = {
  role: string;
  policy: string;
  /** The settings that its credentials are kept under, and what the operator gave for them. */
  roleId: { setting: string; given: string | undefined };
  secretId: { setting: string; given: string | undefined };
};

const RoleSchema = z.object({ data: z.record(z.string(), z.unknown()) });
const RoleIdSchema = z.object({ data: z.object({ role_id: z.string().min(1) }) });

type On = Planning & { administer: Administer; hasMount: boolean };

/**
 * An AppRole whose secret-id has no end: a service that starts again next year logs in with it. It is made here and kept
 * before the store knows it, so that no run that was cut off leaves one that nobody knows; under a name of its own until
 * the store does, so that one which an operator has destroyed there is not taken for it, and never comes back by itself.
 */
export async function planAppRole(call: Call, wanted: AppRoleToPlan, { administer, hasMount, kept, adopts }: On): Promise<Plan> {
  const { role, policy, roleId } = wanted;
  const at = `/auth/approle/role${path`/${role}`}`;
  const settings = { ...PLATFORM_TOKEN, token_policies: [policy], bind_secret_id: true, secret_id_ttl: 0, secret_id_num_uses: 0 };
  const live = hasMount ? await find(call, at, { administer, schema: RoleSchema }) : undefined;
  const write = async (call: Call) => void (await administer(call, { method: "POST", path: at, json: settings }));
  const steps: Step[] = [];
  if (!live) steps.push({ change: `Make the AppRole "${role}" with the policy "${policy}"`, apply: write });
  else {
    const changed = Object.keys(changesIn(settings, live.data));
    const isOurs = kept.get(roleId.setting) === (await liveRoleId(call, at, administer));
    if (changed.length > 0 && !isOurs && !adopts) return plan({ differences: [`The AppRole "${role}" has another ${listed(changed)} than the platform needs, and was not made by this command`] });
    if (changed.length > 0) steps.push({ change: `Set ${listed(changed)} of the AppRole "${role}"`, apply: write });
  }
  steps.push(...(await roleIdSteps(call, wanted, { at, administer, kept, isThere: live !== undefined })));
  steps.push(...(await secretIdSteps(call, wanted, { at, administer, kept, isThere: live !== undefined })));
  return plan({ steps });
}

type At = { at: string; administer: Administer; kept: Kept; isThere: boolean };

/** The store's own is the truth, unless the operator gave another. */
async function roleIdSteps(call: Call, { role, roleId: { setting, given } }: AppRoleToPlan, { at, administer, kept, isThere }: At): Promise<Step[]> {
  const live = isThere ? await liveRoleId(call, at, administer) : undefined;
  if (given !== undefined && given !== live) {
    const set = async (call: Call) => void (await administer(call, { method: "POST", path: `${at}/role-id`, json: { role_id: keptSecret(kept, setting, given) } }));
    return [{ change: `Give the AppRole "${role}" the role-id that ${setting} says`, apply: set }];
  }
  if (live !== undefined && kept.get(setting) === live) return [];
  return [{ change: `Keep the role-id of the AppRole "${role}" in ${setting}`, apply: async (call) => kept.keep({ [setting]: (await liveRoleId(call, at, administer)) ?? "" }) }];
}

async function secretIdSteps(call: Call, { role, secretId: { setting, given } }: AppRoleToPlan, { at, administer, kept, isThere }: At): Promise<Step[]> {
  const pending = `${PENDING}${setting}`;
  const before = kept.get(setting);
  const actual = given ?? kept.get(pending) ?? before;
  const isKnown = isThere && actual !== undefined && (await knows(call, at, { administer, secretId: actual }));
  if (isKnown && actual === before && kept.get(pending) === undefined) return [];
  const keep = (secretId: string) => kept.keep({ [setting]: secretId, [pending]: "" });
  if (isKnown) return [{ change: `Keep the secret-id of the AppRole "${role}" in ${setting}`, apply: async () => keep(actual) }];
  const give = async (call: Call) => {
    const secret = keptSecret(kept, pending, given);
    if (!(await knows(call, at, { administer, secretId: secret }))) await administer(call, { method: "POST", path: `${at}/custom-secret-id`, json: { secret_id: secret } });
    keep(secret);
  };
  if (given !== undefined) return [{ change: `Give the AppRole "${role}" the secret-id that ${setting} says`, apply: give }];
  const why = isThere && before !== undefined ? ": the store does not know the one there" : "";
  return [{ change: `Give the AppRole "${role}" a new secret-id, kept in ${setting}${why}`, apply: give }];
}

/** Asked of the store as an administrator: a login would leave a token, and wrong ones lock the role. */
async function knows(call: Call, at: string, { administer, secretId }: { administer: Administer; secretId: string }): Promise<boolean> {
  const answer = await administer(call, { method: "POST", path: `${at}/secret-id/lookup`, json: { secret_id: secretId }, accepts: [200, 204, 404] });
  return answer.status === 200;
}

async function liveRoleId(call: Call, at: string, administer: Administer): Promise<string | undefined> {
  return (await find(call, `${at}/role-id`, { administer, schema: RoleIdSchema }))?.data.role_id;
}

async function find<T>(call: Call, at: string, { administer, schema }: { administer: Administer; schema: z.ZodType<T> }): Promise<T | undefined> {
  const answer: Answer = await administer(call, { method: "GET", path: at, accepts: [200, 404] });
  return answer.status === 404 ? undefined : shaped(name, answer, schema);
}
