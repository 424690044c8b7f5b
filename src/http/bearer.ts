import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify, type JWTPayload } from "jose";
import { beginCall } from "./call.ts";
import type { Fetch } from "./fetch.ts";
import { Problem, problemIn } from "./problem.ts";
import { jsonOf, upstream } from "./upstream.ts";

/** Who calls, as the verified token says. */
export type Caller = {
  /** The identity's own id at the identity provider. */
  sub: string;
  /** The client the token was issued to (`azp`). */
  client: string;
  /** Whether the token is the client's own and not a user's: its user is the client's service account. */
  isServiceAccount: boolean;
  /** Seconds since the epoch (`iat`). */
  issuedAt: number;
  /** Realm roles, each with the prefix `ROLE_`. */
  roles: readonly string[];
};

export type BearerNeeds = {
  /** `iss` of every token accepted. */
  issuer: string;
  /** Where the identity provider's keys are read (RFC 7517). */
  jwksUrl: string;
  fetch: Fetch;
  now: () => number;
};

/** Throws `UNAUTHENTICATED_401`, or 503 while no key of the identity provider can be had. */
export type VerifyBearer = (token: string) => Promise<Caller>;

const MAX_TOKEN_LENGTH = 8192;
const MAX_LIFETIME_S = 24 * 3600;
const CLOCK_SKEW_S = 30;
const CACHE_MS = 60_000;
const CACHE_SIZE = 4096;
const JWKS_COOLDOWN_MS = 5000;
const KEYS_TIMEOUT_MS = 2000;
/** What stores take for text; Keycloak's is a UUID. */
const SUBJECT = /^[\x21-\x7E]{1,255}$/;

/** Verifies access tokens of one issuer; a token found good is not verified again for up to a minute. */
export function bearerVerifier({ issuer, jwksUrl, fetch, now }: BearerNeeds): VerifyBearer {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    cooldownDuration: JWKS_COOLDOWN_MS,
    cacheMaxAge: 3_600_000,
    [customFetch]: keyFetch({ jwksUrl, fetch, now }),
  });
  const verified = new Map<string, { caller: Caller; until: number }>();

  return async (token) => {
    const known = verified.get(token);
    if (known && known.until > now()) return known.caller;
    verified.delete(token);
    const claims = await verify(token);
    const caller = callerOf(claims, now() / 1000);
    if (verified.size >= CACHE_SIZE) verified.delete(verified.keys().next().value ?? "");
    verified.set(token, { caller, until: Math.min(now() + CACHE_MS, (claims.exp ?? 0) * 1000) });
    return caller;
  };

  async function verify(token: string): Promise<JWTPayload> {
    try {
      if (token.length > MAX_TOKEN_LENGTH) throw new Error("The token is too long");
      // Without this, a set of one key would serve a token that names none.
      if (!decodeProtectedHeader(token).kid) throw new Error("The token names no key");
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        algorithms: ["RS256"],
        typ: "JWT",
        requiredClaims: ["exp", "iat", "sub"],
        currentDate: new Date(now()),
      });
      return payload;
    } catch (cause) {
      throw problemIn(cause) ?? unauthenticated("The token is not valid", cause);
    }
  }
}

export function unauthenticated(detail: string, cause?: unknown): Problem {
  const challenge = cause === undefined ? "Bearer" : 'Bearer error="invalid_token"';
  return new Problem("UNAUTHENTICATED_401", detail, { headers: { "www-authenticate": challenge }, cause });
}

function callerOf(claims: JWTPayload, nowS: number): Caller {
  const { sub, typ, azp, preferred_username: username, exp = 0, iat = 0 } = claims;
  // Keycloak's header says JWT on every kind of token; only this claim tells a refresh or an ID token.
  const isAccessToken = typ === "Bearer" && typeof azp === "string";
  const isSane = iat <= nowS + CLOCK_SKEW_S && exp - iat <= MAX_LIFETIME_S && exp > iat;
  if (!isAccessToken || !isSane || typeof sub !== "string" || !SUBJECT.test(sub)) {
    throw unauthenticated("The token is not valid", new Error("The claims are not those of an access token"));
  }
  return { sub, client: azp, isServiceAccount: username === `service-account-${azp.toLowerCase()}`, issuedAt: iat, roles: realmRoles(claims) };
}

function realmRoles({ realm_access }: JWTPayload): string[] {
  const roles = (realm_access as { roles?: unknown } | null | undefined)?.roles;
  if (!Array.isArray(roles)) return [];
  return roles.filter((role) => typeof role === "string").map((role) => (role.startsWith("ROLE_") ? role : `ROLE_${role}`));
}

/** jose cools down after a success only: after a failure, this does, so that a provider that is away is not stormed. */
function keyFetch({ jwksUrl, fetch, now }: Pick<BearerNeeds, "jwksUrl" | "fetch" | "now">) {
  const provider = upstream({ name: "identity provider", url: jwksUrl, fetch, now, timeout: KEYS_TIMEOUT_MS });
  let failure: { at: number; problem: Problem } | undefined;
  return async (): Promise<Response> => {
    if (failure && now() - failure.at < JWKS_COOLDOWN_MS) throw failure.problem;
    const call = beginCall(new Headers(), { now: now(), limit: KEYS_TIMEOUT_MS });
    const outcome = await provider.send(call, { method: "GET", path: "" });
    // Judged here, so that an answer that is no key set counts as the provider's failure and not the caller's.
    const set = outcome.kind === "answer" && outcome.status === 200 ? jsonOf(outcome.text) : undefined;
    if (isKeySet(set)) {
      failure = undefined;
      return Response.json(set);
    }
    const cause = outcome.kind === "lost" ? outcome.cause : new Error(`The keys were answered with ${outcome.status}`);
    const problem = new Problem("UPSTREAM_UNAVAILABLE_503", "The identity provider is not available", { retryAfter: 5, cause });
    failure = { at: now(), problem };
    throw problem;
  };
}

/** RFC 7517, section 5. */
function isKeySet(set: unknown): boolean {
  const keys = (set as { keys?: unknown } | null | undefined)?.keys;
  return Array.isArray(keys) && keys.every((key) => typeof key === "object" && key !== null && !Array.isArray(key));
}
