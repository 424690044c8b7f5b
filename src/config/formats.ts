import { combined, resolved } from "./combined.ts";
import type { Environment } from "./environment.ts";
import { writeJson } from "./json.ts";
import type { FileFormat } from "./names.ts";
import { writeProperties } from "./properties/write.ts";
import { treeOf } from "./tree.ts";
import { writeYaml } from "./yaml/write.ts";

/** The environment as one file; throws `CONFIG_NOT_CONVERTIBLE_400`. */
export function fileOf(environment: Environment, { format, resolves }: { format: FileFormat; resolves: boolean }): string {
  const values = combined(environment);
  const leaves = resolves ? resolved(values) : values;
  if (format === "properties") return writeProperties(leaves);
  return format === "json" ? writeJson(treeOf(leaves)) : writeYaml(treeOf(leaves));
}
