import type { Finding } from "../finding.ts";
import { found } from "./found.ts";

export type SecretFile = {
  path: string;
  isDirectory: boolean;
  /** The lowest nine bits; undefined where the system has none. */
  mode: number | undefined;
};

/** Whom the files and folders with secrets are open to. */
export function fileFindings(files: readonly SecretFile[]): Finding[] {
  const open = files.flatMap(({ path, isDirectory, mode }) => {
    if (mode === undefined || (mode & 0o077) === 0) return [];
    return [found(isDirectory ? "open-directory" : "open-file", { path, mode: mode.toString(8).padStart(3, "0") })];
  });
  return open.length > 0 ? open : [found("files")];
}
