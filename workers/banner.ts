import type { Backends } from "./backends.ts";
import { forgetPassword, SECRETS_FILE } from "./data.ts";
import { join } from "node:path";

type Started = {
  /** Of `performance.now()`, in milliseconds. */
  began: number;
  /** Title → URL. */
  urls: Record<string, string>;
  /** Where it runs here. */
  gateway: string | undefined;
};

/** Tells a person what they need after the start; generated passwords are shown until they were, once. */
export function printBanner(backends: Backends, { began, urls, gateway }: Started): void {
  const { given, data, installation, identity } = backends;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const isFirst = installation.ADMIN_PASSWORD !== undefined;
  const isNew = identity !== undefined && (identity.administratorCreated || isFirst);
  const lines = [
    `Gatehouse is up (${seconds} s, data in ${data})`,
    table(urls),
    isNew ? credentials(backends) : [],
    table(spring(backends, isFirst)),
    gateway ? trial(gateway) : [],
  ];
  console.log(["", ...lines.filter((part) => part.length > 0).map((part) => [part].flat().join("\n")), ""].join("\n\n").replace(/^\n/, ""));
  // A process without the identity provider leaves the password for the one that has it to show.
  if (isFirst && (identity || given.IDENTITY_URL)) forgetPassword(data);
}

function table(rows: Record<string, string>): string[] {
  const width = Math.max(...Object.keys(rows).map((title) => title.length));
  return Object.entries(rows).map(([title, value]) => `  ${title.padEnd(width)}  ${value}`);
}

function credentials({ given, administrator: { username, password } }: Backends): string[] {
  const shown = given.ADMIN_PASSWORD === undefined ? `${password}   (shown this once: keep it)` : "as ADMIN_PASSWORD says";
  return [`  Administrator  ${username}`, `  Password       ${shown}`];
}

/** What a Spring service joins with; in clear only a password that was made here, and only once. */
function spring({ given, env, set, data, filed }: Backends, isFirst: boolean): Record<string, string> {
  const fileOf = (password: string) => {
    if (set[password] === undefined) return join(data, SECRETS_FILE);
    return filed.names.includes(password) ? filed.path : undefined;
  };
  const shown = (name: "DISCOVERY" | "CONFIG", urls: string[]) => {
    const isOurs = set[`${name}_URL`] === undefined;
    if (isOurs && isFirst && set[`${name}_PASSWORD`] === undefined) return urls.join(",");
    const file = isOurs ? fileOf(`${name}_PASSWORD`) : undefined;
    return `${urls.map(masked).join(",")}${file === undefined ? "" : `   (password in ${file})`}`;
  };
  return {
    ...(given.SERVICES.includes("discovery") && { "Register at": shown("DISCOVERY", (env["DISCOVERY_URL"] ?? "").split(",")) }),
    ...(given.SERVICES.includes("config") && { "Configure from": shown("CONFIG", [env["CONFIG_URL"] ?? ""]) }),
  };
}

/** Without its password, as the parser that takes the URL apart sees it. */
function masked(text: string): string {
  const { protocol, username, password, host, pathname } = new URL(text.trim());
  const credential = username || password ? `${username}${password && ":…"}@` : "";
  return `${protocol}//${credential}${host}${pathname.replace(/^\/$/, "")}`;
}

function trial(gateway: string): string[] {
  const person = {
    firstName: "Asha",
    lastName: "Rao",
    emailId: "asha.rao@example.com",
    password: "Correct-Horse-7-Battery",
    primaryContactNumber: "9876543210",
  };
  return [
    "Register a user, sign in, see yourself:",
    "",
    `  curl -sS ${gateway}/api/users/register -H 'content-type: application/json' -d '${JSON.stringify(person)}'`,
    `  TOKEN=$(curl -sS ${gateway}/api/auth/authenticate -H 'content-type: application/json' -d '${JSON.stringify({ username: person.emailId, password: person.password })}')`,
    `  curl -sS ${gateway}/api/users/me -H "authorization: Bearer $TOKEN"`,
  ];
}
