import type { Backends } from "./backends.ts";
import { forgetPassword } from "./data.ts";
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
  const { data, installation, identity } = backends;
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
  forgetPassword(data, installation);
}

function table(rows: Record<string, string>): string[] {
  const width = Math.max(...Object.keys(rows).map((title) => title.length));
  return Object.entries(rows).map(([title, value]) => `  ${title.padEnd(width)}  ${value}`);
}

function credentials({ administrator: { username, password } }: Backends): string[] {
  return [`  Administrator  ${username}`, `  Password       ${password}   (shown this once: keep it)`];
}

/** What a Spring service joins with. */
function spring({ given, env, data }: Backends, isFirst: boolean): Record<string, string> {
  const shown = (url = "") => (isFirst ? url : url.replace(/:[^:@/]+@/, ":…@"));
  const where = isFirst ? "" : `   (password in ${join(data, "secrets.json")})`;
  return {
    ...(given.SERVICES.includes("discovery") && { "Register at": `${shown(env["DISCOVERY_URL"])}${where}` }),
    ...(given.SERVICES.includes("config") && { "Configure from": `${shown(env["CONFIG_URL"])}${where}` }),
  };
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
