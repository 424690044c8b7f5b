import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

export type Command = { file: string; args: string[] };

export type Launched = {
  gateway: string;
  users: string;
  identity: string;
  secrets: string;
  auth: string;
  admin: string;
  discovery: string;
  configuration: string;
  /** With the credential in it, at the first start; so is `configureFrom`. */
  registerAt: string;
  configureFrom: string;
  /** Printed at the first start only. */
  administrator: { username: string; password: string } | undefined;
  /** Everything the process has written so far. */
  output: () => string;
  /** Ends it as Ctrl-C does, or whoever sends another signal; answers its exit code. */
  stop: (signal?: "SIGINT" | "SIGTERM") => Promise<number | null>;
  /** Ends it as a power cut does. */
  kill: () => Promise<void>;
};

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What it prints last begins and ends so, whatever is in between. */
const STARTED = /^Gatehouse is up[^]*?\n\n\n/m;

export type Ports = Awaited<ReturnType<typeof freePorts>>;

/** Ports that nobody listens on. */
export async function freePorts() {
  const names = ["GATEWAY_PORT", "USERS_PORT", "AUTH_PORT", "ADMIN_PORT", "DISCOVERY_PORT", "CONFIG_PORT", "IDENTITY_PORT", "SECRETS_PORT", "BROKER_PORT", "DATABASE_PORT"] as const;
  const servers = names.map(() => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return Object.fromEntries(names.map((name, index) => [name, String(ports[index])])) as Record<(typeof names)[number], string>;
}

/** Runs the platform, or the part of it that `SERVICES` names, on its own ports and data until it says that it is up. */
export async function launch({ file, args }: Command, settings: Record<string, string>): Promise<Launched> {
  const child = spawn(file, args, { cwd: ROOT, env: { ...process.env, LOG_FORMAT: "json", ...settings }, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", () => STARTED.test(text) && resolve());
    child.once("exit", (code) => reject(new Error(`Ended with ${code}: ${text}`)));
  });
  const url = (label: string) => new RegExp(`^  ${label} +(http\\S+)`, "m").exec(text)?.[1] ?? "";
  const [, username, password] = /^  Administrator +(\S+)\n  Password +(\S+)/m.exec(text) ?? [];
  return {
    gateway: url("Gateway"),
    users: url("User service"),
    auth: url("Authentication"),
    admin: url("Administration"),
    discovery: url("Discovery"),
    configuration: url("Configuration"),
    identity: url("Identity"),
    secrets: url("Secrets"),
    registerAt: url("Register at"),
    configureFrom: url("Configure from"),
    administrator: username && password ? { username, password } : undefined,
    output: () => text,
    stop: (signal = "SIGINT") => end(child, () => child.kill(signal)),
    // A process that leads others takes them with it.
    kill: async () => void (await end(child, () => process.kill(-child.pid!, "SIGKILL"))),
  };
}

async function end(child: ChildProcess, signal: () => void): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  signal();
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

/** What a command prints that ends by itself. */
export async function runToEnd({ file, args }: Command, settings: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const child = spawn(file, args, { cwd: ROOT, env: { ...process.env, ...settings } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (output += part.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}
