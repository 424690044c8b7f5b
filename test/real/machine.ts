import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { delimiter, join } from "node:path";

export const isRoot = process.getuid?.() === 0;

/** Where the program is that a shell would start. */
export function found(program: string, folders: string[] = (process.env["PATH"] ?? "").split(delimiter)): string | undefined {
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What a program says of itself; empty where there is none. */
export function said(program: string, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  return `${stdout ?? ""}${stderr ?? ""}`;
}

/** Whether the dotted number that `pattern` finds is at least `least`. */
export function isAtLeast(least: string, text: string, pattern: RegExp): boolean {
  const version = pattern.exec(text)?.[1];
  return version !== undefined && version.localeCompare(least, "en", { numeric: true }) >= 0;
}

export function missingJava(): string[] {
  return [
    ...(isAtLeast("17", said("java", "-version"), /version "([\d.]+)/) ? [] : ["Java 17 or newer is missing"]),
    ...(found("mvn") ? [] : ["Maven (mvn) is missing"]),
  ];
}

/** The port that the environment asks for by `name`, that an earlier start over `data` had, or that nobody listens on. */
export async function portFor(name: string, data?: string): Promise<number> {
  const kept = data === undefined ? undefined : join(data, name);
  const known = process.env[name] ?? (kept !== undefined && existsSync(kept) ? readFileSync(kept, "utf8") : undefined);
  const port = known === undefined ? await freePort() : Number(known);
  if (kept !== undefined) writeFileSync(kept, String(port));
  return port;
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Whether something answers 200 there. */
export async function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Whether somebody takes connections there. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return once(socket, "connect")
    .then(() => true, () => false)
    .finally(() => socket.destroy());
}
