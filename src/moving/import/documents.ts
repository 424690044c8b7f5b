import * as z from "zod";
import { path } from "../../http/path.ts";
import type { Secret } from "../schema.ts";
import { isSame } from "./covers.ts";
import { newCall } from "./needs.ts";
import { findAt, put, type SecretsNeeds } from "./secrets.ts";

const MetadataSchema = z.object({
  current_version: z.number(),
  max_versions: z.number(),
  cas_required: z.boolean(),
  custom_metadata: z.record(z.string(), z.string()).nullish(),
  versions: z.record(z.string(), z.object({ deletion_time: z.string(), destroyed: z.boolean() })),
});
const DataSchema = z.object({ data: z.record(z.string(), z.unknown()).nullable() });

type Metadata = z.infer<typeof MetadataSchema>;

/** How much of it is there: so many versions and nothing else; `whole`; or something else. */
type Standing = { versions: number } | "whole" | "different";

/** Every version that was kept, in order and numbered from 1: numbers cannot be chosen, times are those of the import. */
export async function importSecret(needs: SecretsNeeds, secret: Secret): Promise<void> {
  const { tally, isDryRun, overwrites } = needs;
  const below = secret.path.split("/").map((segment) => path`/${segment}`).join("");
  const metadata = await findAt(needs, `/secret/metadata${below}`, MetadataSchema);
  const standing = metadata ? await standingOf(needs, { metadata, below, secret }) : { versions: 0 };
  if (standing === "whole") return tally.count("secrets", "same");
  if (standing === "different" && !overwrites) return tally.tell("secrets", "different", `"${secret.path}" is there and holds something else`);
  const result = standing === "different" ? "changed" : "made";
  if (isDryRun) return tally.count("secrets", result);
  if (standing === "different") await needs.admin(newCall(needs), { method: "DELETE", path: `/secret/metadata${below}` });
  const isWritten = await write(needs, { below, secret, from: standing === "different" ? 0 : standing.versions });
  if (isWritten) tally.count("secrets", result);
  else tally.tell("secrets", "failed", `"${secret.path}" was refused`);
}

type Place = { below: string; secret: Secret };

/** Settings first, since they say how many versions are kept; deletions last, since they are of what was written. */
async function write(needs: SecretsNeeds, { below, secret: { settings, versions }, from }: Place & { from: number }): Promise<boolean> {
  if (!(await put(needs, `/secret/metadata${below}`, settings))) return false;
  for (const [index, { data }] of versions.entries()) {
    // Only as the next version: of two that import, or one that is repeated, each is written once.
    if (index >= from && !(await put(needs, `/secret/data${below}`, { data, options: { cas: index } }))) return false;
  }
  const deleted = versions.flatMap(({ isDeleted }, index) => (isDeleted ? [index + 1] : []));
  return deleted.length === 0 || put(needs, `/secret/delete${below}`, { versions: deleted });
}

async function standingOf(needs: SecretsNeeds, { metadata, below, secret }: Place & { metadata: Metadata }): Promise<Standing> {
  const { current_version: current, versions } = metadata;
  if (current > secret.versions.length) return "different";
  let isWhole = current === secret.versions.length && isSame(settingsOf(metadata), settingsOf(secret.settings));
  for (let version = 1; version <= current; version++) {
    const wanted = secret.versions[version - 1];
    const kept = versions[version];
    if (!wanted || !kept || kept.destroyed) return "different";
    const isDeleted = kept.deletion_time !== "";
    // A deleted one cannot be read; one that is not deleted yet was written by an import that has ended before.
    if (isDeleted !== wanted.isDeleted) isWhole = false;
    if (isDeleted ? !wanted.isDeleted : !isSame((await findAt(needs, `/secret/data${below}?version=${version}`, DataSchema))?.data, wanted.data)) return "different";
  }
  return isWhole ? "whole" : { versions: current };
}

function settingsOf({ max_versions, cas_required, custom_metadata }: Pick<Metadata, "max_versions" | "cas_required" | "custom_metadata">) {
  return { max_versions, cas_required, custom_metadata: custom_metadata && Object.keys(custom_metadata).length > 0 ? custom_metadata : null };
}
