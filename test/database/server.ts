import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../real/machine.ts";
import { postgresPrograms, postgresUser } from "../real/postgres.ts";
import { asOwner } from "../systems/postgres.ts";

export type PostgresServer = {
  /** Of a role that owns one database and may make others. */
  url: string;
  port: number;
  /** Of the superuser, over a socket that only this machine has. */
  superuser: string;
  directory: string;
  /** Ends it as a crash of the machine does. */
  kill: () => Promise<void>;
  /** Starts it again; settles when it serves. */
  start: () => Promise<void>;
  /** Stops every process of it where it stands: connections stay, nothing answers. */
  freeze: () => void;
  thaw: () => void;
  close: () => Promise<void>;
};

const PATIENCE_MS = 20_000;
const PAUSE_MS = 25;

/** A Postgres of its own, from the binaries of this machine; with the files of a certificate and its key, TLS is offered too. */
export async function postgresServer(tls?: { certificate: string; key: string }): Promise<PostgresServer> {
  const bin = programs();
  const directory = mkdtempSync(join(tmpdir(), "gatehouse-postgres-"));
  const user = postgresUser();
  if (user) chownSync(directory, user.uid, user.gid);
  const data = join(directory, "data");
  execFileSync(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync"], { ...user, cwd: directory, stdio: "ignore" });
  const port = await freePort();
  const all = { listen_addresses: "127.0.0.1", port: String(port), unix_socket_directories: directory, fsync: "off", shared_buffers: "32MB", log_min_messages: "fatal", ...(tls && { ssl: "on" }) };
  writeFileSync(join(data, "postgresql.conf"), Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`).join(""));
  // By the names where Postgres looks for them; it takes no key that others own or may read.
  for (const [name, file] of Object.entries({ "server.crt": tls?.certificate, "server.key": tls?.key })) {
    if (!file) continue;
    writeFileSync(join(data, name), readFileSync(file), { mode: 0o600 });
    if (user) chownSync(join(data, name), user.uid, user.gid);
  }
  const superuser = `postgres://postgres@/postgres?host=${encodeURIComponent(directory)}&port=${port}`;
  let child: ChildProcess;

  async function start(): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    // What a killed one has left may still hold its memory for a moment.
    for (let isUp = false; !isUp; ) {
      child = spawn(join(bin, "postgres"), ["-D", data], { ...user, cwd: directory, stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      child.stderr?.on("data", (part: Buffer) => (said += part.toString()));
      while (!hasEnded(child) && Date.now() < until && !(isUp = await answers(superuser))) await pause(PAUSE_MS);
      if (!isUp && Date.now() > until) throw new Error(`Cannot start Postgres: ${said}`);
    }
  }
  const end = async (signal: NodeJS.Signals) => {
    if (hasEnded(child)) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  const signalAll = (signal: NodeJS.Signals) => {
    if (hasEnded(child)) return;
    // Some of them end by themselves meanwhile.
    for (const pid of processes(child.pid!)) attempt(() => process.kill(pid, signal));
  };

  await start();
  await asOwner(superuser, "CREATE ROLE app LOGIN CREATEDB PASSWORD 'app'", "CREATE DATABASE app OWNER app");
  return {
    url: `postgres://app:app@127.0.0.1:${port}/app`,
    port,
    superuser,
    directory,
    start,
    kill: () => end("SIGKILL"),
    freeze: () => signalAll("SIGSTOP"),
    thaw: () => signalAll("SIGCONT"),
    async close() {
      signalAll("SIGCONT");
      await end("SIGQUIT");
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function programs(): string {
  const place = postgresPrograms();
  if (!place) throw new Error("Cannot find PostgreSQL: install its package, or set POSTGRES_BIN");
  return place;
}

function processes(pid: number): number[] {
  const children = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (child && parent === pid ? [child] : []));
  return [pid, ...children];
}

function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ESRCH") throw error;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function answers(url: string): Promise<boolean> {
  return asOwner(url, "SELECT 1").then(() => true, () => false);
}
