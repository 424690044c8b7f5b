import { activation } from "./activation.ts";
import { BrokenFile } from "./broken-file.ts";
import { type ConfigFile, invalidFile, type Snapshot } from "./files.ts";
import { jsonFaultAt } from "./json-fault.ts";
import type { ProfileTest } from "./profile-expression.ts";
import { parseProperties } from "./properties/parse.ts";
import { type Properties, textOf } from "./value.ts";
import { parseYaml } from "./yaml/parse.ts";

export type ConfigDocument = {
  properties: Properties;
  isFor: ProfileTest;
  /** Characters of names and values. */
  size: number;
};

/** In which order the files of one name rank, highest first. `.json` is ours. */
export const EXTENSIONS = [".properties", ".yml", ".yaml", ".json"] as const;

type Format = "properties" | "json" | "yaml";
type Parsed = WeakMap<ConfigFile, readonly ConfigDocument[] | BrokenFile>;

/** What a file says, made once for each content: two files may have the same one, and mean different things by it. */
const parsed: Record<Format, Parsed> = { properties: new WeakMap(), json: new WeakMap(), yaml: new WeakMap() };

/** The documents of one of the snapshot's files, in the file's order; throws `CONFIG_FILE_INVALID_422`. */
export async function documentsOf(snapshot: Snapshot, name: string): Promise<readonly ConfigDocument[]> {
  const file = await snapshot.read(name);
  const format = formatOf(name);
  const known = parsed[format].get(file) ?? tryParse(file, format);
  parsed[format].set(file, known);
  if (known instanceof BrokenFile) throw invalidFile(name, known.message, known.at);
  return known;
}

function formatOf(name: string): Format {
  return name.endsWith(".properties") ? "properties" : name.endsWith(".json") ? "json" : "yaml";
}

function tryParse({ bytes }: ConfigFile, format: Format): readonly ConfigDocument[] | BrokenFile {
  try {
    return parse(bytes, format).map((properties) => ({ properties: withoutCiphers(properties), isFor: activation(properties), size: sizeOf(properties) }));
  } catch (error) {
    if (error instanceof BrokenFile) return error;
    // The parser of YAML calls itself for each level.
    if (error instanceof RangeError) return new BrokenFile("it is nested too deeply");
    throw error;
  }
}

function parse(bytes: Uint8Array, format: Format): Properties[] {
  if (format === "properties") return parseProperties(utf8(bytes) ?? latin1(bytes));
  const text = utf8(bytes);
  if (text === undefined) throw new BrokenFile("it is not UTF-8");
  if (format === "json") checkJson(text);
  return parseYaml(text);
}

/** Every JSON text is YAML, but not the other way round. */
function checkJson(text: string): void {
  if (text.trim() === "") return;
  try {
    JSON.parse(text);
  } catch {
    const before = text.slice(0, jsonFaultAt(text)).split("\n");
    throw new BrokenFile("it is not JSON", { line: before.length, column: (before.at(-1) ?? "").length + 1 });
  }
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What Java's `.properties` were before they were UTF-8 (JEP 226 reads them in this order too). */
function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** Encrypted values are delivered as the original delivers what it has no key for: a name that nothing reads. */
function withoutCiphers(properties: Properties): Properties {
  const isCipher = (value: unknown) => typeof value === "string" && value.startsWith("{cipher}");
  const [sealed, open] = [true, false].map((wanted) => [...properties].filter(([, { value }]) => isCipher(value) === wanted));
  return new Map([...(open ?? []), ...(sealed ?? []).map(([name, { origin }]) => [`invalid.${name}`, { value: "<n/a>", origin }] as const)]);
}

function sizeOf(properties: Properties): number {
  return [...properties].reduce((sum, [name, { value }]) => sum + name.length + textOf(value).length, 0);
}
