import type { Backends } from "./backends.ts";
import { forgetPassword } from "./data.ts";

type Started = {
  /** Of `performance.now()`, in milliseconds. */
  began: number;
  /** Label → URL. */
  urls: Record<string, string>;
  gateway: string;
};

type Administrator = { username: string; password: string | undefined };

/** Tells a person what they need after the start; a generated password is shown until it was, once. */
export function printBanner({ data, installation, administrator, identity }: Backends, { began, urls, gateway }: Started): void {
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const isNew = identity !== undefined && (identity.administratorCreated || installation.ADMIN_PASSWORD !== undefined);
  const shown = isNew ? administrator : { ...administrator, password: undefined };
  console.log(banner({ seconds, urls, gateway, data, administrator: shown }));
  forgetPassword(data, installation);
}

type Banner = Omit<Started, "began"> & { seconds: string; data: string; administrator: Administrator };

function banner({ seconds, urls, gateway, administrator, data }: Banner): string {
  const width = Math.max(...Object.keys(urls).map((label) => label.length));
  const lines = Object.entries(urls).map(([label, url]) => `  ${label.padEnd(width)}  ${url}`);
  return ["", `Gatehouse is up (${seconds} s, data in ${data})`, "", ...lines, "", ...credentials(administrator), ...trial(gateway), ""].join("\n");
}

function credentials({ username, password }: Administrator): string[] {
  if (password === undefined) return [];
  return [`  Administrator  ${username}`, `  Password       ${password}   (shown this once: keep it)`, ""];
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
