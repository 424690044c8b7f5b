import { EXTENSIONS } from "./documents.ts";
import type { Snapshot } from "./files.ts";
import type { Asked } from "./names.ts";

/** What every application shares. */
const SHARED = "application";

/** The folders that are looked in, the root first: where labels are no versions, they are folders. */
function foldersFor({ label }: Pick<Asked, "label">, { revision }: Pick<Snapshot, "revision">): string[] {
  if (revision !== undefined || label === undefined) return [""];
  return ["", ...label.split(",").map((folder) => `${folder}/`)];
}

/**
 * The files that have a say, the highest first: those of profiles before the others, and of two the last profile, the
 * label's folder, the application's own name, and `.properties`.
 */
export function selectedFiles(asked: Pick<Asked, "names" | "active" | "label">, snapshot: Snapshot): string[] {
  const folders = foldersFor(asked, snapshot).toReversed();
  const names = [...new Set([SHARED, ...asked.names])].toReversed();
  const inFolders = (suffix: string) => folders.flatMap((folder) => names.flatMap((name) => EXTENSIONS.map((extension) => folder + name + suffix + extension)));
  const candidates = [...asked.active.toReversed().map((profile) => `-${profile}`), ""].flatMap(inFolders);
  return [...new Set(candidates)].filter((name) => snapshot.names.has(name));
}

/** The plain file at `path`: in the label's folder before the root, its variant for the last profile before the others and itself. */
export function selectedFile(asked: Pick<Asked, "active" | "label">, { path, snapshot }: { path: string; snapshot: Snapshot }): string | undefined {
  const [, stem = path, extension = ""] = /^(.*[^/])(\.[^./]*)$/.exec(path) ?? [];
  const variants = [...asked.active.toReversed().map((profile) => `${stem}-${profile}${extension}`), path];
  const candidates = foldersFor(asked, snapshot).toReversed().flatMap((folder) => variants.map((variant) => folder + variant));
  return candidates.find((name) => snapshot.names.has(name));
}
