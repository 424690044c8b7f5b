import * as z from "zod";
import { SettingsError } from "../env.ts";
import { beginCall } from "../http/call.ts";
import { credentialUrl } from "../http/credential-url.ts";
import type { Fetch } from "../http/fetch.ts";
import { path } from "../http/path.ts";
import { type Answer, jsonOf, upstream } from "../http/upstream.ts";
import { PlaceholderFault, placeholders } from "./placeholders.ts";
import { settingName } from "./setting-name.ts";

export type ConfigurationNeeds = {
  /** The configuration server's URL, the user name and the password in it where it needs them. */
  url: string;
  /** Whose configuration: `user-service`. */
  application: string;
  /** The last wins; none is `default`. */
  profiles: readonly string[];
  fetch: Fetch;
  now: () => number;
};

const TIMEOUT_MS = 5000;

const EnvironmentSchema = z.object({
  propertySources: z.array(z.object({ source: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])) })).nullish(),
});

/**
 * Setting → value, as a configuration server has them for the application: what wins there, placeholders resolved among it;
 * `true` and `false` are `on` and `off`, as settings have it. Throws a SettingsError that says what failed, never a value.
 */
export async function readConfiguration(needs: ConfigurationNeeds): Promise<Record<string, string>> {
  const { application, now, fetch } = needs;
  const { url, authorization } = credentialUrl(needs.url);
  const fail = (reason: string, cause?: unknown) => new SettingsError(`Cannot read the configuration of "${application}" at ${url}: ${reason}`, { cause });
  const call = beginCall(new Headers(), { now: now(), limit: TIMEOUT_MS });
  const server = upstream({ name: "configuration server", url, fetch, now, timeout: TIMEOUT_MS });
  const outcome = await server.send(call, { method: "GET", path: pathOf(needs), ...(authorization && { headers: { authorization } }) });
  if (outcome.kind === "lost") throw fail(outcome.reason === "timeout" ? "no answer in time" : "no usable answer", outcome.cause);
  if (outcome.status !== 200) throw fail(refusalIn(outcome));
  const { data } = EnvironmentSchema.safeParse(jsonOf(outcome.text));
  if (!data) throw fail("what it answered is no configuration");
  const properties = winning((data.propertySources ?? []).flatMap(({ source }) => Object.entries(source)).map(([name, value]) => [name, textOf(value)]));
  try {
    const resolve = placeholders((name) => properties.get(name));
    return Object.fromEntries(winning([...properties].map(([name, value]) => [settingName(name), resolve(value)])));
  } catch (error) {
    throw error instanceof PlaceholderFault ? fail(error.message) : error;
  }
}

/** The profiles of `CONFIG_PROFILE`: names with commas between them. */
export function profilesOf(text: unknown): string[] {
  return String(text ?? "").split(",").map((profile) => profile.trim()).filter((profile) => profile !== "");
}

/** The first of each name. */
function winning(entries: Iterable<[string, string]>): Map<string, string> {
  const first = new Map<string, string>();
  for (const [name, value] of entries) if (!first.has(name)) first.set(name, value);
  return first;
}

function pathOf({ application, profiles }: ConfigurationNeeds): string {
  return path`/${application}/${profiles.join(",") || "default"}`;
}

function textOf(value: string | number | boolean | null): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return String(value ?? "");
}

/** What a configuration server of ours says of its files names them, and quotes nothing. */
function refusalIn({ status, text }: Answer): string {
  const { code, detail } = (jsonOf(text) ?? {}) as { code?: unknown; detail?: unknown };
  if (typeof code === "string" && code.startsWith("CONFIG_") && typeof detail === "string") return detail.slice(0, 300);
  return status === 401 || status === 403 ? `it does not accept the credential (${status})` : `it answered ${status}`;
}
