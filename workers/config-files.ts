import { type Dirent, existsSync, lstatSync, realpathSync } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type ConfigFile, type ConfigFiles, invalidFile, MAX_FILE_BYTES, tooLarge } from "../src/config/files.ts";
import { SettingsError } from "../src/env.ts";
import { Problem } from "../src/http/problem.ts";
import { hasGit, isHidden, openGitFiles } from "./git-files.ts";

const MAX_FILES = 1000;

/**
 * The configuration in a folder: where the folder is the top of a git checkout, what is committed, with branches, tags and
 * commits for labels; else, and where there is no `git`, the files as they lie there.
 */
export async function openConfigFiles(folder: string): Promise<ConfigFiles> {
  const root = rootOf(folder);
  return isCheckout(root) && (await hasGit()) ? openGitFiles(root) : folderFiles(root);
}

/** The platform's own configuration: the folder beside the sources; undefined where only what was bundled is there. */
export async function openOwnConfigFiles(folder = fileURLToPath(new URL("../configuration", import.meta.url))): Promise<ConfigFiles | undefined> {
  return existsSync(folder) ? openConfigFiles(folder) : undefined;
}

function rootOf(folder: string): string {
  try {
    const root = realpathSync(folder);
    if (lstatSync(root).isDirectory()) return root;
  } catch (cause) {
    throw new SettingsError(`Cannot read the configuration in "${folder}": ${(cause as Error).message}`, { cause });
  }
  throw new SettingsError(`Cannot read the configuration in "${folder}": it is no folder`);
}

/** In a worktree of its own `.git` is a file. */
function isCheckout(root: string): boolean {
  return lstatSync(join(root, ".git"), { throwIfNoEntry: false }) !== undefined;
}

/** The files as they are at each request. */
function folderFiles(root: string): ConfigFiles {
  const files = new Map<string, ConfigFile>();
  return {
    async at() {
      const paths = await listed(root);
      for (const name of files.keys()) if (!paths.has(name)) files.delete(name);
      const read = async (name: string) => {
        const bytes = await readFile(paths.get(name) ?? "", name);
        const known = files.get(name);
        if (known && Buffer.compare(known.bytes, bytes) === 0) return known;
        const file = { bytes };
        files.set(name, file);
        return file;
      };
      return { location: `file:${root}/`, revision: undefined, names: new Set(paths.keys()), read };
    },
  };
}

/** Name → where the file really is. A mounted Kubernetes volume is nothing but links inside the folder. */
async function listed(root: string): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(root, folder)) {
      if (isHidden(entry.name)) continue;
      const name = `${folder}${entry.name}`;
      if (entry.isDirectory()) folders.push(`${name}/`);
      const path = entry.isSymbolicLink() ? await insideOf(root, name) : entry.isFile() ? join(root, name) : undefined;
      if (path !== undefined) paths.set(name, path);
      if (paths.size + folders.length > MAX_FILES) throw new Problem("CONFIG_TOO_LARGE_422", `The configuration has more than ${MAX_FILES} files`);
    }
  }
  return paths;
}

const UNREADABLE: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "ENOENT", "ENOTDIR"]);

/** Of a folder that may not be read, such as `lost+found`, or that has just gone: nothing. Of `root` itself, that would be a configuration that nobody wrote. */
async function entriesOf(root: string, folder: string): Promise<Dirent[]> {
  try {
    return await readdir(join(root, folder), { withFileTypes: true });
  } catch (cause) {
    if (folder !== "" && UNREADABLE.has(codeOf(cause))) return [];
    throw new Problem("UPSTREAM_UNAVAILABLE_503", "The configuration's folder cannot be read", { retryAfter: 1, cause });
  }
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}

/** The file a link leads to, if that is inside `root`. */
async function insideOf(root: string, name: string): Promise<string | undefined> {
  const path = await realpath(join(root, name)).catch(() => "");
  const found = path.startsWith(root + sep) ? await stat(path).catch(() => undefined) : undefined;
  return found?.isFile() ? path : undefined;
}

async function readFile(path: string, name: string): Promise<Buffer> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw invalidFile(name, `it cannot be opened (${codeOf(error)})`);
  });
  try {
    if ((await file.stat()).size > MAX_FILE_BYTES) throw tooLarge(name);
    const bytes = await file.readFile();
    if (bytes.byteLength > MAX_FILE_BYTES) throw tooLarge(name);
    return bytes;
  } finally {
    await file.close();
  }
}
