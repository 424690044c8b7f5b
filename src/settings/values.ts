import * as z from "zod";
import { type ServiceName, SERVICES } from "../env.ts";
import { isRoutable, RESERVED } from "../gateway/applications/names.ts";
import { isCredentialUrl } from "../http/credential-url.ts";

const httpUrl = z.url({ protocol: /^https?$/, error: "Use an http or https URL" });
/** What is said in sentences and logs; a credential has a setting of its own. */
export const url = httpUrl.refine(hasNoCredential, "Use a URL without a user name and a password in it").transform(withoutSlash);
export const milliseconds = z.coerce.number({ error: "Use a number of milliseconds" }).int().min(1).max(600_000);
export const port = z.coerce.number({ error: "Use a port number" }).int().min(0).max(65_535);
export const onOff = z.enum(["on", "off"], { error: 'Use "on" or "off"' }).transform((text) => text === "on");
export const secret = z.string({ error: "Is needed" }).min(1, "Is needed");
export const username = z.string().regex(/^[\w.-]{1,64}$/, "Use letters, digits, dots, dashes and underscores");
/** One or several, with commas between them, with the credential in it. */
export const registry = z.string().refine(isRegistry, 'Use http or https URLs such as "http://user:password@localhost:8761/eureka"');
export const configuration = httpUrl.transform(withoutSlash).refine(isCredentialUrl, 'Use an http or https URL such as "http://user:password@localhost:8888"');
export const count = z.coerce.number({ error: "Use a number" }).int().min(1).max(1_000_000);
/** 32 bytes. */
export const key = z.string({ error: "Is needed" }).regex(/^[A-Za-z0-9_-]{43}$/, "Use 32 bytes in base64url");

export function services(text: string, context: z.RefinementCtx): ServiceName[] {
  const names = text.split(",").map((name) => name.trim());
  const known = SERVICES.filter((name) => names.includes(name));
  if (known.length === names.length) return known;
  context.addIssue({ code: "custom", message: `Name some of ${SERVICES.join(", ")}, each once` });
  return z.NEVER;
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, "");
}

function hasNoCredential(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

function isDecodable(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  try {
    return [username, password].map(decodeURIComponent).length > 0;
  } catch {
    return false;
  }
}

export const postgresUrl = z.string({ error: "Is needed" }).refine(isPostgresUrl, "Use a postgres:// URL with one host");
export const redisUrl = z.string().refine(isRedisUrl, "Use a redis:// or rediss:// URL, with the number of the database as its path").refine(isDecodable, 'Write "%" in the user name and the password as "%25"');

/** Of several hosts, as libpq takes them, the clients would use none. */
function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\/./.test(text) || !URL.canParse(text)) return false;
  const { host, searchParams } = new URL(text);
  return !`${host}${searchParams.get("host") ?? ""}`.includes(",");
}

function isRedisUrl(text: string): boolean {
  return /^rediss?:\/\/./.test(text) && URL.canParse(text) && /^\/?\d*$/.test(new URL(text).pathname);
}

function isRegistry(text: string): boolean {
  return text.split(",").every((one) => httpUrl.safeParse(one.trim()).success && isCredentialUrl(one));
}

export function applications(text: string, context: z.RefinementCtx): string[] {
  const names = text.split(",").map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
  if (names.every(isRoutable)) return [...new Set(names)];
  context.addIssue({ code: "custom", message: `Name applications by letters, digits, dashes and underscores, none of ${[...RESERVED].join(", ")}` });
  return z.NEVER;
}

export function json(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: 'Use JSON, such as {"kafka-ops":["ROLE_TOPICS"]}' });
    return z.NEVER;
  }
}
