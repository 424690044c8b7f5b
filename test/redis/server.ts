import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, isListening } from "../real/machine.ts";

export type RedisServer = {
  port: number;
  /** Ends it as a crash of the machine does. */
  kill: () => Promise<void>;
  /** Starts it again, with nothing in it; settles when it listens. */
  start: () => Promise<void>;
  /** Stops it where it stands: connections stay, nothing answers. */
  freeze: () => void;
  thaw: () => void;
  close: () => Promise<void>;
};

const REDIS = "redis-server";
const PATIENCE_MS = 10_000;

/** A Redis of its own from the binary of this machine, which listens with `options`; `{port}` stands for its port. */
export async function redisServer(options: string[] = ["--port", "{port}"]): Promise<RedisServer> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), "gatehouse-redis-"));
  const args = ["--bind", "127.0.0.1", "--dir", directory, "--save", "", "--appendonly", "no", ...options.map((word) => word.replace("{port}", String(port)))];
  let child: ChildProcess;

  async function start(): Promise<void> {
    child = spawn(REDIS, args, { stdio: "ignore" });
    await once(child, "spawn");
    for (const until = Date.now() + PATIENCE_MS; !(await isListening(port)); await pause(10)) {
      if (child.exitCode !== null || Date.now() > until) throw new Error("Cannot start Redis");
    }
  }
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };

  await start();
  return {
    port,
    start,
    kill,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    async close() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
