import { chmodSync, createReadStream, createWriteStream, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SettingsError } from "../src/env.ts";
import { FORMAT, KEYS, type Manifest, ManifestSchema } from "../src/moving/kinds.ts";

const MANIFEST = "manifest.json";
const KEYS_FILE = "keys.json";
/** There as long as an export is not whole: whoever finds it may begin anew. */
const UNFINISHED = "unfinished";

/** Throws when the folder at `path` is somebody else's, or something is in it but what an export that was ended has left. */
export function checkFolder(path: string): void {
  const folder = statSync(path, { throwIfNoEntry: false });
  if (!folder) return;
  if (!folder.isDirectory()) throw new SettingsError(`Cannot export into "${path}": it is no folder`);
  // Windows has no such numbers.
  if (process.getuid && folder.uid !== process.getuid()) throw new SettingsError(`Cannot export into "${path}": it belongs to somebody else`);
  const found = readdirSync(path);
  const isOurs = found.includes(UNFINISHED) && found.every((name) => name === UNFINISHED || name === MANIFEST || name === KEYS_FILE || name.endsWith(".jsonl"));
  if (found.length > 0 && !isOurs) throw new SettingsError(`Cannot export into "${path}": it is not empty`);
  // What a link leads to would be written in its place.
  const odd = found.find((name) => !lstatSync(join(path, name)).isFile());
  if (odd !== undefined) throw new SettingsError(`Cannot export into "${path}": "${odd}" in it is no plain file`);
}

/** Makes the folder at `path`, which nobody else may read; what an export that was ended has left there goes. */
export function beginFolder(path: string): void {
  checkFolder(path);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    // From here on nobody else can put anything there.
    checkFolder(path);
    const left = readdirSync(path);
    for (const name of left.filter((name) => name !== UNFINISHED)) rmSync(join(path, name));
    if (!left.includes(UNFINISHED)) writeFileSync(join(path, UNFINISHED), "", { mode: 0o600, flag: "wx" });
  } catch (cause) {
    if (cause instanceof SettingsError) throw cause;
    throw new SettingsError(`Cannot export into "${path}": ${(cause as Error).message}`, { cause });
  }
}

/** Writes each of `lines` to the file of this name as it comes; answers how many there were. */
export async function writeLines(path: string, name: string, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  async function* counted(): AsyncGenerator<string> {
    for await (const line of lines) {
      count += 1;
      yield `${line}\n`;
    }
  }
  await pipeline(Readable.from(counted()), createWriteStream(fileOf(path, name), { flags: "wx", mode: 0o600, flush: true }));
  return count;
}

/** From here on the export is whole. */
export function finishFolder(path: string, { manifest, keys }: { manifest: Manifest; keys: Record<string, string> }): void {
  for (const [name, content] of [[KEYS_FILE, keys], [MANIFEST, manifest]] as const) {
    writeFileSync(join(path, name), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: "wx", flush: true });
  }
  rmSync(join(path, UNFINISHED));
}

export function readManifest(path: string): Manifest {
  if (!existsSync(join(path, MANIFEST)) || existsSync(join(path, UNFINISHED))) throw new SettingsError(`Cannot import "${path}": there is no export in it, or not a whole one`);
  const manifest = ManifestSchema.safeParse(readJson(path, MANIFEST)).data;
  if (manifest?.format !== FORMAT) throw new SettingsError(`Cannot import "${path}": it was exported by another version of the platform`);
  return manifest;
}

/** The installation secrets that what was exported needs. */
export function readKeys(path: string): Record<string, string> {
  const keys = readJson(path, KEYS_FILE) as Record<string, unknown> | null;
  return Object.fromEntries(KEYS.flatMap((name) => (typeof keys?.[name] === "string" ? [[name, keys[name]]] : [])));
}

/** The lines of the file of this name. Only a line feed ends one: JSON may hold every other character that ends lines elsewhere. */
export async function* readLines(path: string, name: string): AsyncGenerator<string> {
  let rest = "";
  for await (const part of createReadStream(fileOf(path, name), "utf8") as AsyncIterable<string>) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") throw new SettingsError(`Cannot read "${fileOf(path, name)}": its last line is not whole`);
}

function fileOf(path: string, name: string): string {
  return join(path, `${name}.jsonl`);
}

function readJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(join(path, name), "utf8"));
  } catch (cause) {
    throw new SettingsError(`Cannot read "${join(path, name)}": ${(cause as Error).message}`, { cause });
  }
}
