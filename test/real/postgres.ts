import { chmodSync, chownSync, existsSync, globSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { aptInstall, missingPackage } from "./apt.ts";
import { run, serve } from "./child.ts";
import { found, isRoot, portFor, said } from "./machine.ts";
import type { System } from "./system.ts";

const SETTINGS = ["shared_buffers=64MB", "max_connections=200", "jit=off", "fsync=off", "log_min_messages=warning"];

/** The folder of Postgres' programs: the one that POSTGRES_BIN names, or this machine's; Debian keeps them off the path. */
export function postgresPrograms(): string | undefined {
  const { POSTGRES_BIN: given } = process.env;
  const newest = globSync("/usr/lib/postgresql/*/bin").toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
  const initdb = given ? found("initdb", [given]) : (found("initdb", newest) ?? found("initdb"));
  return initdb && dirname(realpathSync(initdb));
}

/** Postgres refuses to run as root. */
export function postgresUser(): { uid: number; gid: number } | undefined {
  return isRoot ? { uid: Number(said("id", "-u", "postgres")), gid: Number(said("id", "-g", "postgres")) } : undefined;
}

type Cluster = {
  /** A folder that is nobody else's. */
  data: string;
  /** What the environment calls its port. */
  portName: string;
  /** Of a role that may make further databases, of its password, and of its database. */
  name: string;
};

/** What there is of a cluster that does not run. */
export const filesIn = (data: string) => join(data, "files");

/** As it says it itself; empty where there is none. */
export function postgresVersion(): string {
  return /[\d.]+/.exec(said(join(postgresPrograms() ?? "", "postgres"), "--version"))?.[0] ?? "";
}

/** Has the next start over `data` go on from `files`, whoever has made them. */
export async function copyCluster(files: string, data: string): Promise<void> {
  const user = postgresUser();
  mkdirSync(data, { recursive: true });
  await run(["cp", "-a", files, data]);
  if (user) await run(["chown", "-R", `${user.uid}:${user.gid}`, data]);
}

/** The distribution's Postgres, over what an earlier start has left in `data`, if anything. */
export async function startCluster({ data, portName, name }: Cluster) {
  const bin = postgresPrograms() ?? "";
  mkdirSync(data, { recursive: true });
  const port = await portFor(portName, data);
  const user = postgresUser();
  const as = { ...user, cwd: "/" };
  const files = filesIn(data);
  const socket = ["-h", data, "-p", String(port), "-U", "postgres", "-q"];
  if (user) {
    chownSync(data, user.uid, user.gid);
    // It has to get there, whatever this process makes folders with.
    chmodSync(dirname(data), 0o711);
  }
  const isNew = !existsSync(files);
  if (isNew) await run([join(bin, "initdb"), "-D", files, "-U", "postgres", "--encoding=UTF8", "--locale=C.UTF-8", "--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync"], as);
  const settings = ["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${data}`, ...SETTINGS];
  const server = await serve([join(bin, "postgres"), "-D", files, ...settings.flatMap((setting) => ["-c", setting])], {
    ...as,
    log: join(data, "postgres.log"),
    isReady: () => said(join(bin, "pg_isready"), "-h", data, "-p", String(port)).includes("accepting"),
    orderly: "SIGINT",
  });
  const psql = (sql: string) => run([join(bin, "psql"), ...socket, "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c", sql], as);
  if (isNew) {
    await psql(`CREATE ROLE ${name} LOGIN CREATEDB PASSWORD '${name}'`);
    await psql(`CREATE DATABASE ${name} OWNER ${name}`);
  }
  return { ...server, version: postgresVersion(), at: `127.0.0.1:${port}/${name}` };
}

export const postgres: System = {
  name: "Postgres",
  missing: () => (postgresPrograms() ? [] : missingPackage("PostgreSQL", "postgresql")),
  prepare: async () => {
    if (!postgresPrograms()) await aptInstall("postgresql");
  },
  start: async ({ data }) => {
    const { at, ...server } = await startCluster({ data, portName: "POSTGRES_PORT", name: "app" });
    return { ...server, environment: { TEST_DATABASE_URL: `postgres://app:app@${at}` } };
  },
};
