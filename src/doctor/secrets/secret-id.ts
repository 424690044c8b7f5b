import * as z from "zod";
import { path } from "../../http/path.ts";
import { type Exchange, jsonOf } from "../../http/upstream.ts";
import { durationOf } from "../duration.ts";
import { type Finding, notChecked } from "../finding.ts";
import type { AppRole } from "./approle.ts";
import { found, SYSTEM } from "./found.ts";

const LookupSchema = z.object({ data: z.object({ expiration_time: z.string(), secret_id_num_uses: z.number() }) });
const RoleSchema = z.object({ data: z.object({ secret_id_ttl: z.number(), secret_id_num_uses: z.number() }) });

/** Sends with a token; undefined unless it is answered 200. */
export type Read = (exchange: Exchange) => Promise<string | undefined>;

const SOON_S = 14 * 86_400;

/** How long the secret-id is still good: by itself where its service may look it up, else by what its role gives to all. */
export async function secretIdFinding({ name: service, role, secretId, settings }: AppRole, { own, admin, now }: { own: Read; admin: Read; now: () => number }): Promise<Finding> {
  const base = path`/auth/approle/role/${role}`;
  const lookup = LookupSchema.safeParse(jsonOf((await own({ method: "POST", path: `${base}/secret-id/lookup`, json: { secret_id: secretId } })) ?? "")).data?.data;
  const values = { service, role, secretId: settings.secretId };
  if (lookup && lookup.secret_id_num_uses > 0) return found("secret-id-uses", { ...values, uses: lookup.secret_id_num_uses });
  if (lookup) {
    const ends = Date.parse(lookup.expiration_time);
    // The year 1 is how Go writes no time at all.
    if (Number.isNaN(ends) || ends < 0) return found("secret-id", { service });
    const seconds = Math.max(0, (ends - now()) / 1000);
    return found(seconds < SOON_S ? "secret-id-ends" : "secret-id-left", { ...values, left: durationOf(seconds) });
  }
  const settled = RoleSchema.safeParse(jsonOf((await admin({ method: "GET", path: base })) ?? "")).data?.data;
  if (!settled) return notChecked(SYSTEM, "secret-id", `${service}: nothing that it may read shows when its secret-id ends`);
  if (settled.secret_id_num_uses > 0) return found("secret-id-uses", { ...values, uses: settled.secret_id_num_uses });
  return settled.secret_id_ttl > 0 ? found("secret-id-ttl", { ...values, ttl: durationOf(settled.secret_id_ttl) }) : found("secret-id", { service });
}
