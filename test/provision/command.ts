import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";

export type Ran = {
  /** Null when it was killed. */
  code: number | null;
  output: string;
};

export type Settings = Record<string, string>;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const KILLING = new URL("./killing.ts", import.meta.url).href;

/** Runs the command with nothing in its environment but `settings`. */
export function provision(settings: Settings, ...flags: string[]): Promise<Ran> {
  return run(["workers/provision.ts", ...flags], settings);
}

/** Runs it until it dies, as in a power cut: right after its first write was done, or right before its second. */
export function killed(settings: Settings, when: "after" | "before"): Promise<Ran> {
  return run(["--import", KILLING, "workers/provision.ts", "--yes"], { ...settings, DIES: when });
}

async function run(args: string[], settings: Settings): Promise<Ran> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { PATH: process.env["PATH"] ?? "", ...settings }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (output += part.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** What the settings file has. */
export function keptIn(path: string): Record<string, string> {
  return parseEnv(readFileSync(path, "utf8")) as Record<string, string>;
}

/** The changes that the plan has, as it shows them. */
export function changesIn({ output }: Ran): string[] {
  return [...output.matchAll(/^ +\d+\. (?!done$)(.+)$/gm)].map(([, change = ""]) => change);
}
