import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { readSettingsFile } from "../../workers/settings-file.ts";
import { begun, type Command, type Settings } from "../command.ts";

export type Launched = {
  gateway: string;
  users: string;
  identity: string;
  /** Of its tokens. */
  issuer: string;
  /** The Admin REST of its realm. */
  adminRest: string;
  secrets: string;
  broker: string;
  auth: string;
  admin: string;
  discovery: string;
  configuration: string;
  /** With the credential in it; so is `configureFrom`. */
  registerAt: string;
  configureFrom: string;
  /** With what the administration service signs in. */
  adminServiceSecret: string;
  /** Printed at the first start only, and of the embedded identity provider. */
  administrator: { username: string; password: string } | undefined;
  /** Everything the process has written so far. */
  output: () => string;
  /** Ends it as Ctrl-C does, or whoever sends another signal; answers its exit code. */
  stop: (signal?: "SIGINT" | "SIGTERM") => Promise<number | null>;
  /** Ends it as a power cut does. */
  kill: () => Promise<void>;
};

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
export async function launch(command: Command, settings: Settings): Promise<Launched> {
  const { child, output } = begun(command, { LOG_FORMAT: "json", ...settings }, { leads: true });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", () => STARTED.test(output()) && resolve());
    child.once("exit", (code) => reject(new Error(`Ended with ${code}: ${output()}`)));
  });
  const text = output();
  const url = (label: string) => new RegExp(`^  ${label} +(http\\S+)`, "m").exec(text)?.[1] ?? "";
  const known = settingsIn(settings["GATEHOUSE_DATA"] ?? "");
  const { IDENTITY_URL: identity = url("Identity"), IDENTITY_REALM: realm = "platform", SECRETS_URL: secrets = url("Secrets") } = known;
  return {
    gateway: url("Gateway"),
    users: url("User service"),
    auth: url("Authentication"),
    admin: url("Administration"),
    discovery: url("Discovery"),
    configuration: url("Configuration"),
    identity,
    issuer: `${identity}/realms/${realm}`,
    adminRest: `${identity}/admin/realms/${realm}`,
    secrets,
    broker: url("Broker"),
    registerAt: opened(url("Register at"), known["DISCOVERY_PASSWORD"]),
    configureFrom: opened(url("Configure from"), known["CONFIG_PASSWORD"]),
    adminServiceSecret: known["ADMIN_SERVICE_CLIENT_SECRET"] ?? "",
    administrator: administratorIn(text),
    output,
    stop: (signal = "SIGINT") => end(child, () => child.kill(signal)),
    // A process that leads others takes them with it.
    kill: async () => void (await end(child, () => process.kill(-child.pid!, "SIGKILL"))),
  };
}

/** A URL with its password, which is shown at the first start only, and not where provisioning has made it. */
function opened(url: string, password = ""): string {
  return url.replace(":…@", `:${encodeURIComponent(password)}@`);
}

/** What a platform that runs on `data` was told and has made. */
function settingsIn(data: string): Record<string, string | undefined> {
  const made = join(data, "secrets.json");
  return { ...(existsSync(made) && (JSON.parse(readFileSync(made, "utf8")) as object)), ...readSettingsFile(join(data, "settings.env")) };
}

/** Whom the output tells of, with the password that is shown once. */
export function administratorIn(output: string): { username: string; password: string } | undefined {
  const [, username, password] = /^  Administrator +(\S+)\n  Password +(\S+)/m.exec(output) ?? [];
  return username && password ? { username, password } : undefined;
}

async function end(child: ChildProcess, signal: () => void): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  signal();
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}
