import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";

export type Command = { file: string; args: string[] };

export type Settings = Record<string, string>;

export type Ran = {
  /** Null when it was killed. */
  code: number | null;
  /** What it has written, to wherever. */
  output: string;
};

/** Right before or after one of its changes to the systems behind it, counted from 1. */
export type Moment = `${"before" | "after"}:${number}`;

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const KILLING = new URL("killing.ts", import.meta.url).href;

/** One of our processes on Node, by the name of its file in `workers/`. */
export function worker(name: string, ...args: string[]): Command {
  return { file: process.execPath, args: [`workers/${name}.ts`, ...args] };
}

export const PLATFORM = worker("node");

/** Starts a command with `settings` and nothing else of ours in its environment; one that leads has a process group of its own. */
export function begun({ file, args }: Command, settings: Settings, { leads = false } = {}) {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(file, args, { cwd: ROOT, env: { PATH, HOME, ...settings }, stdio: ["ignore", "pipe", "pipe"], detached: leads });
  let [out, err, output] = ["", "", ""];
  child.stdout.setEncoding("utf8").on("data", (part: string) => ((out += part), (output += part)));
  child.stderr.setEncoding("utf8").on("data", (part: string) => ((err += part), (output += part)));
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, ended, out: () => out, err: () => err, output: () => output };
}

/** Runs a command that ends by itself, or dies as in a power cut. */
export async function runToEnd(command: Command, settings: Settings, { dies }: { dies?: Moment } = {}): Promise<Ran> {
  const { file, args } = command;
  const { ended, output } = dies ? begun({ file, args: ["--import", KILLING, ...args] }, { ...settings, DIES: dies }) : begun(command, settings);
  return { code: await ended, output: output() };
}
