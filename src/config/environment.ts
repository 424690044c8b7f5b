import { Problem } from "../http/problem.ts";
import { documentsOf } from "./documents.ts";
import type { ConfigFiles, Snapshot } from "./files.ts";
import { MAX_SIZE } from "./limits.ts";
import type { Asked } from "./names.ts";
import { selectedFiles } from "./selection.ts";
import { type Properties, textOf } from "./value.ts";

export type Source = { name: string; properties: Properties };

/** What an application is told, the source that wins first. */
export type Environment = {
  version: string | undefined;
  sources: readonly Source[];
};

/** The files at the label; throws `CONFIG_LABEL_NOT_FOUND_404`. */
export async function snapshotFor(files: ConfigFiles, { label }: Pick<Asked, "label">): Promise<Snapshot> {
  const snapshot = await files.at(label);
  if (snapshot) return snapshot;
  throw new Problem("CONFIG_LABEL_NOT_FOUND_404", `There is no branch, tag or commit "${label}"`);
}

/** What the files say; throws `CONFIG_FILE_INVALID_422` when one of those selected cannot be read. */
export async function environmentIn(snapshot: Snapshot, asked: Asked): Promise<Environment> {
  const sources: Source[] = [];
  let size = 0;
  for (const name of selectedFiles(asked, snapshot)) {
    const documents = await documentsOf(snapshot, name);
    const profiles = new Set(asked.active);
    for (const [index, { properties, isFor, size: more }] of [...documents.entries()].toReversed()) {
      if (!isFor(profiles)) continue;
      size += more;
      refuseTooLarge(size);
      sources.push({ name: nameOf(snapshot, { name, index, isAlone: documents.length === 1 }), properties });
    }
  }
  return { version: snapshot.revision, sources };
}

/** `environment` below what else there is; throws `CONFIG_TOO_LARGE_422`. */
export function withSources(environment: Environment, above: readonly Source[]): Environment {
  const sources = [...above, ...environment.sources];
  const all = sources.flatMap(({ properties }) => [...properties]);
  refuseTooLarge(all.reduce((sum, [name, { value }]) => sum + name.length + textOf(value).length, 0));
  return { ...environment, sources };
}

function refuseTooLarge(size: number): void {
  if (size > MAX_SIZE) throw new Problem("CONFIG_TOO_LARGE_422", `What is configured is more than ${MAX_SIZE} characters`);
}

type Part = { name: string; index: number; isAlone: boolean };

/** As the original names them; a client keeps one of two sources that have the same name. */
function nameOf({ location }: Snapshot, { name, index, isAlone }: Part): string {
  if (isAlone) return location + name;
  const path = location.replace(/^[a-z]+:(\/\/)?/, "");
  const folder = name.slice(0, name.lastIndexOf("/") + 1);
  return `Config resource 'file [${path}${name}]' via location 'file:${path}${folder}' (document #${index})`;
}
