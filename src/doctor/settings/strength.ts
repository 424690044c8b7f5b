import type { Environment } from "../../env.ts";
import type { Finding } from "../finding.ts";
import { found } from "./found.ts";
import { KNOWN } from "./mistakes.ts";

const SECRET = /(_SECRET|_PASSWORD|_TOKEN|_KEY|_SECRET_ID|_AUTHORIZATION)$/;
const WITH_PASSWORD = ["DATABASE_URL", "REDIS_URL", "DISCOVERY_URL", "CONFIG_URL"];
const SHORTEST = 16;
const FEWEST_LETTERS = 5;
const KNOWN_TO_ALL = /^(change-?me|pass(word)?|secret|admin|test|root|guest|default|gatehouse|keycloak|vault|kafka|postgres|redis|(auth|user|admin)-service(-secret)?)\d{0,4}$/i;

/** Settings whose value is a secret, and the passwords inside of URLs; by what people call them. */
export function secretsIn(env: Environment): { name: string; value: string }[] {
  const own = Object.entries(env).flatMap(([name, value]) => (value && SECRET.test(name) ? [{ name, value }] : []));
  const inside = WITH_PASSWORD.flatMap((name) => (env[name] ?? "").split(",").flatMap((url) => passwordIn(url).map((value) => ({ name: `The password in ${name}`, value }))));
  return [...own, ...inside];
}

/** Of secrets that somebody has given: those that were made here are long, random and each of its own. */
export function strengthFindings(told: Environment): Finding[] {
  // What else the environment has is not ours to judge.
  const secrets = secretsIn(Object.fromEntries(Object.entries(told).filter(([name]) => KNOWN.has(name))));
  const weak = secrets.flatMap(({ name, value }) => {
    if (KNOWN_TO_ALL.test(value) || new Set(value).size < FEWEST_LETTERS) return [found("guessable", { name })];
    return value.length < SHORTEST ? [found("short", { name, length: value.length })] : [];
  });
  const all = [...weak, ...shared(secrets.filter(({ name }) => !name.includes(" ")))];
  return all.length > 0 ? all : [found("secrets")];
}

/** The same role-id or secret-id for two services is one service. */
function shared(secrets: readonly { name: string; value: string }[]): Finding[] {
  const byValue = Map.groupBy(secrets, ({ value }) => value);
  return [...byValue.values()].filter((same) => same.length > 1).map((same) => found("shared", { names: same.map(({ name }) => name).join(" and ") }));
}

function passwordIn(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password } = new URL(text);
  try {
    return password === "" ? [] : [decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
