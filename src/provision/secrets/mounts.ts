import * as z from "zod";
import { type Administer, AdministrationError } from "../../administration/administer.ts";
import type { Call } from "../../http/call.ts";
import { pause } from "../../http/pause.ts";
import { shaped } from "../../http/upstream.ts";
import { STORE as name } from "../../secrets/answer.ts";
import type { Step } from "../plan.ts";

/** Where the platform's client looks for them. */
const KV = "secret";
const APPROLE = "approle";

const MountsSchema = z.object({ data: z.record(z.string(), z.object({ type: z.string(), options: z.record(z.string(), z.unknown()).nullish() })) });

/** Milliseconds; a mount that was just made says for a moment that it is being brought up to date. */
const READY_AFTER_MS = [0, 100, 200, 400, 800, 1600, 3200];

export type Mounts = { steps: Step[]; hasAppRole: boolean };

/** What is missing; what is mounted there and something else cannot be put aside by us. */
export async function planMounts(call: Call, administer: Administer): Promise<Mounts> {
  const read = async (path: string) => shaped(name, await administer(call, { method: "GET", path }), MountsSchema).data;
  const kv = (await read("/sys/mounts"))[`${KV}/`];
  const approle = (await read("/sys/auth"))[`${APPROLE}/`];
  if (kv && (kv.type !== "kv" || kv.options?.["version"] !== "2")) {
    throw new AdministrationError(`Cannot use the engine at "${KV}": it is ${kv.type}${kv.type === "kv" ? " of version 1, so bring it to version 2 if nobody needs it so" : ", not kv of version 2"}`);
  }
  if (approle && approle.type !== "approle") throw new AdministrationError(`Cannot use the auth method at "${APPROLE}": it is ${approle.type}`);
  const steps: Step[] = [];
  if (!kv) steps.push({ change: `Mount a kv engine of version 2 at "${KV}"`, apply: (call) => mountKeyValues(call, administer) });
  if (!approle) steps.push({ change: `Mount AppRole at "${APPROLE}"`, apply: async (call) => void (await administer(call, { method: "POST", path: `/sys/auth/${APPROLE}`, json: { type: "approle" } })) });
  return { steps, hasAppRole: approle !== undefined };
}

async function mountKeyValues(call: Call, administer: Administer): Promise<void> {
  await administer(call, { method: "POST", path: `/sys/mounts/${KV}`, json: { type: "kv", options: { version: "2" } } });
  for (const wait of READY_AFTER_MS) {
    await pause(wait);
    const { status } = await administer(call, { method: "GET", path: `/${KV}/config`, accepts: [200, 400, 404, 500, 503] });
    if (status === 200) return;
  }
  throw new AdministrationError(`Cannot use the engine at "${KV}": it was mounted and is not ready, so run this again`);
}
