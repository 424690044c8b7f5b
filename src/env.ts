import type * as z from "zod";

/** The services, by the names that `SERVICES` has for them. */
export const SERVICES = ["gateway", "users", "auth", "admin", "discovery", "config"] as const;

export type ServiceName = (typeof SERVICES)[number];

/** Settings by name, as text. */
export type Environment = Record<string, string | undefined>;

export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** What `env` says as text; an empty value says nothing. */
export function said(env: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== ""));
}

/** Reads the settings of `schema`; throws a SettingsError that names every mistake, never a value. */
export function readSettings<T>(schema: z.ZodType<T>, env: Record<string, unknown>): T {
  const result = schema.safeParse(said(env));
  if (result.success) return result.data;
  const mistakes = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw settingsRefused(mistakes);
}

/** What is said of all `mistakes` at once; `advice` is a line of its own. */
export function settingsRefused(mistakes: readonly string[], advice?: string): SettingsError {
  return new SettingsError(["Cannot start with these settings:", ...mistakes.map((mistake) => `  ${mistake}`), ...(advice === undefined ? [] : [advice])].join("\n"));
}
