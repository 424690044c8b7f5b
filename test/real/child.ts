import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { openSync, closeSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

type Command = readonly [file: string, ...args: string[]];

const POLL_MS = 50;
/** Java writes its archive of classes when it ends. */
const STOP_MS = 120_000;
const LINES_OF_A_FAILURE = 20;

/** Everything that runs now, each in a group of its own: a Ctrl-C reaches this process alone, which then ends them in order. */
const running = new Set<ChildProcess>();
let isOver = false;

function begin([file, ...args]: Command, options: SpawnOptions): ChildProcess {
  if (isOver) throw new Error(`Cannot start "${file}": it was interrupted`);
  const child = spawn(file, args, { ...options, detached: true });
  running.add(child);
  child.once("close", () => running.delete(child));
  child.once("error", () => running.delete(child));
  return child;
}

/** Runs a program to its end and answers what it has written; fails with the end of that. */
export async function run(command: Command, options: SpawnOptions = {}): Promise<string> {
  const child = begin(command, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part: Buffer) => (text += part.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`Cannot run "${command.join(" ")}":\n${endOf(text)}`);
  return text;
}

/** Runs a program that writes to where this process does; answers its exit code. */
export async function show(command: Command, options: SpawnOptions = {}): Promise<number | null> {
  const [code] = (await once(begin(command, { ...options, stdio: ["ignore", "inherit", "inherit"] }), "close")) as [number | null];
  return code;
}

type Serving = SpawnOptions & {
  /** The file that takes what it writes. */
  log: string;
  isReady: () => boolean | Promise<boolean>;
  withinMs?: number;
  /** What makes it end in an orderly way. */
  orderly?: NodeJS.Signals;
};

/** Starts a program that goes on running; answers when it is ready. */
export async function serve(command: Command, { log, isReady, withinMs = 60_000, orderly = "SIGTERM", ...options }: Serving) {
  const output = openSync(log, "a");
  const child = begin(command, { ...options, stdio: ["ignore", output, output] });
  closeSync(output);
  let failure: Error | undefined;
  child.once("error", (error) => (failure = error));
  const stop = (signal: NodeJS.Signals = orderly) => end(child, signal);
  for (const until = Date.now() + withinMs; !(await isReady()); await pause(POLL_MS)) {
    if (!failure && running.has(child) && Date.now() < until) continue;
    await stop("SIGKILL");
    throw new Error(`Cannot start "${command[0]}": ${failure?.message ?? `it was not ready in time, or ended:\n${endOf(readFileSync(log, "utf8"))}`}`);
  }
  return { pid: child.pid!, stop };
}

/** Ends whatever still runs, by its process id; nothing is started afterwards. */
export async function endAll(): Promise<void> {
  isOver = true;
  await Promise.all([...running].map((child) => end(child, "SIGTERM")));
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!running.has(child)) return;
  const closed = once(child, "close");
  kill(child, signal);
  const timer = setTimeout(() => kill(child, "SIGKILL"), STOP_MS);
  await closed;
  clearTimeout(timer);
}

/** The group too: what starts a server by way of a shell has it there. */
function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch {
    // It has ended between the two.
  }
}

function endOf(text: string): string {
  return text.trimEnd().split("\n").slice(-LINES_OF_A_FAILURE).join("\n");
}
