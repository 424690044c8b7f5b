import * as z from "zod";
import { isLoopbackUrl } from "../../http/loopback.ts";
import { PASSWORD_LENGTH } from "../../identity/password-length.ts";
import { durationOf } from "../duration.ts";
import type { Finding } from "../finding.ts";
import { shownUrl } from "../reach.ts";
import { found } from "./found.ts";

/** What is of interest of Keycloak's RealmRepresentation. */
export const RealmSchema = z.object({
  sslRequired: z.string(),
  registrationAllowed: z.boolean(),
  editUsernameAllowed: z.boolean(),
  bruteForceProtected: z.boolean(),
  permanentLockout: z.boolean(),
  failureFactor: z.number(),
  quickLoginCheckMilliSeconds: z.number(),
  revokeRefreshToken: z.boolean(),
  ssoSessionIdleTimeout: z.number(),
  passwordPolicy: z.string().optional(),
});

export type Realm = z.infer<typeof RealmSchema>;

export const ActionsSchema = z.array(z.object({ alias: z.string(), name: z.string().optional(), enabled: z.boolean(), defaultAction: z.boolean() }));

export type Actions = z.infer<typeof ActionsSchema>;

const DAY_S = 86_400;
/** Fewer, and it locks before ours has slowed a guesser down; it is Keycloak's own default. */
const LEAST_FACTOR = 30;
/** Rules that ask for more than the platform does; `length` is looked at by itself. */
const STRICT = /^(digits|lowerCase|upperCase|specialChars|notUsername|notEmail|notContainsUsername|regexPattern|passwordHistory|passwordBlacklist|passwordAge|maxAuthAge)\b/;
/** OWASP's, for the two that can be set so. */
const LEAST_ITERATIONS: Readonly<Record<string, number>> = { "pbkdf2-sha256": 600_000, "pbkdf2-sha512": 210_000, pbkdf2: 1_300_000 };

export function realmFindings(realm: Realm, url: string): Finding[] {
  return [bruteForce(realm), refreshTokens(realm), ssl(realm, url), ...passwords(realm.passwordPolicy ?? "")];
}

function bruteForce({ bruteForceProtected, permanentLockout, failureFactor: factor, quickLoginCheckMilliSeconds: quick }: Realm): Finding {
  if (!bruteForceProtected) return found("brute-force");
  if (permanentLockout) return found("brute-force-permanent", { factor });
  return factor < LEAST_FACTOR || quick > 0 ? found("brute-force-early", { factor, quick }) : found("brute-force");
}

function refreshTokens({ revokeRefreshToken, ssoSessionIdleTimeout: idle }: Realm): Finding {
  if (!revokeRefreshToken) return found("refresh-reuse");
  return found(idle > DAY_S ? "refresh-long" : "refresh-rotation", { lifetime: durationOf(idle) });
}

function ssl({ sslRequired }: Realm, url: string): Finding {
  const required = sslRequired.toLowerCase();
  if (required === "all" && url.startsWith("http:")) return found("ssl-all");
  if (required === "none" && !isLoopbackUrl(url)) return found("ssl-none", { url: shownUrl(url) });
  return found("ssl", { required: required === "all" ? "all" : required === "none" ? "no" : "external" });
}

/** How people who registered here can sign in there. */
export function signInFindings({ registrationAllowed, editUsernameAllowed }: Realm, actions: Actions): Finding[] {
  const compelled = actions.filter(({ enabled, defaultAction }) => enabled && defaultAction).map(({ alias, name }) => name ?? alias);
  const findings = [
    ...(compelled.length > 0 ? [found("required-actions", { actions: compelled.join(", ") })] : []),
    ...(registrationAllowed ? [found("self-registration")] : []),
    ...(editUsernameAllowed ? [found("username-edit")] : []),
  ];
  return findings.length > 0 ? findings : [found("sign-in")];
}

function passwords(policy: string): Finding[] {
  const rules = policy.split(" and ").map((rule) => rule.trim());
  const argument = (name: string) => rules.map((rule) => new RegExp(`^${name}\\((.*)\\)$`).exec(rule)?.[1]).find((value) => value !== undefined);
  const strict = rules.filter((rule) => STRICT.test(rule) || exceeds(rule));
  const algorithm = argument("hashAlgorithm") ?? "argon2";
  const iterations = Number(argument("hashIterations") ?? Infinity);
  const isWeak = iterations < (LEAST_ITERATIONS[algorithm] ?? 5);
  return [
    strict.length > 0 ? found("password-policy-strict", { rules: strict.join(", ") }) : found("password-policy"),
    ...(isWeak ? [found("password-hash-weak", { iterations, algorithm })] : []),
  ];
}

function exceeds(rule: string): boolean {
  const [, kind, value] = /^(length|maxLength)\((\d+)\)$/.exec(rule) ?? [];
  return kind === "length" ? Number(value) > PASSWORD_LENGTH.minLength : kind === "maxLength" && Number(value) < PASSWORD_LENGTH.maxLength;
}
