import type { TestPlatform } from "../platform.ts";

export type Sender = Pick<TestPlatform, "request">;

/** One of the ways in. */
export type Door = (via: Sender, username: string, password: string) => Promise<Response>;

export const post: Door = ({ request }, username, password) => request("/api/auth/authenticate", { method: "POST", json: { username, password } });

export const get: Door = ({ request }, username, password) => request(`/api/auth/authenticate?${new URLSearchParams({ username, password })}`);

/** The look-alikes of ASCII in U+FF01 to U+FF5E. */
export function fullWidth(text: string): string {
  return text.replace(/[!-~]/g, (char) => String.fromCodePoint(char.charCodeAt(0) + 0xfee0));
}

/** How often the identity provider was asked whether a password is right, for each of these names. */
export function passwordsAsked({ journal }: Pick<TestPlatform, "journal">, ...usernames: string[]): number {
  const names = new Set(usernames.map((name) => name.toLowerCase()));
  const asked = journal.filter(({ form }) => form.get("grant_type") === "password").map(({ form }) => form.get("username")?.toLowerCase() ?? "");
  return asked.filter((name) => names.has(name)).length;
}

/** The curve of one user or one hashed name, as it is kept. */
export async function guardOf({ database }: Pick<TestPlatform, "database">, subject: string) {
  const [row] = await database.query("SELECT failures, pending, locked_until FROM users.login_guards WHERE subject = $1", [subject]);
  return row && { failures: Number(row["failures"]), pending: Object.keys(JSON.parse(row["pending"] ?? "{}")).length, isLocked: row["locked_until"] !== null };
}
