import { Problem } from "../http/problem.ts";

/** A file's content. The same content is the same object, so that what was made of it can be kept. */
export type ConfigFile = { readonly bytes: Uint8Array };

/** The files as they are at one moment, or at one commit. */
export type Snapshot = {
  /** What the names of sources begin with, such as `file:/etc/configuration/`. */
  location: string;
  /** The commit that was read; undefined where labels are no versions but folders. */
  revision: string | undefined;
  /** Paths below the location, with `/` between segments. Nothing hidden, and no link that leads out. */
  names: ReadonlySet<string>;
  /** Reads one of `names`; throws `CONFIG_FILE_INVALID_422` for one that is too large. */
  read: (name: string) => Promise<ConfigFile>;
};

/** Where configuration is read from. */
export type ConfigFiles = {
  /** Undefined for a label that there is not; what has no versions takes any. */
  at: (label: string | undefined) => Promise<Snapshot | undefined>;
};

export const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FILE_TEXT = `${MAX_FILE_BYTES / 1024 / 1024} MiB`;

export function tooLarge(name: string): Problem {
  return invalidFile(name, `it is larger than ${MAX_FILE_TEXT}`);
}

/** What is wrong with a file that was selected, and where in it. */
export function invalidFile(name: string, reason: string, at?: { line: number; column: number }): Problem {
  const place = at ? `line ${at.line}, column ${at.column}: ` : "";
  const errors = [{ path: at ? `${name}:${at.line}:${at.column}` : name, message: reason }];
  return new Problem("CONFIG_FILE_INVALID_422", `Cannot read "${name}": ${place}${reason}`, { errors });
}

/** Files that were put into the program: for runtimes without a file system. */
export function bundledFiles(texts: Readonly<Record<string, string>>): ConfigFiles {
  const encoder = new TextEncoder();
  const files = new Map<string, ConfigFile>();
  const read = async (name: string) => {
    const file = files.get(name) ?? { bytes: encoder.encode(texts[name]) };
    files.set(name, file);
    return file;
  };
  const snapshot: Snapshot = { location: "bundle:/", revision: undefined, names: new Set(Object.keys(texts)), read };
  return { at: async () => snapshot };
}
