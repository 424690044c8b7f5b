import type { Call } from "../http/call.ts";
import { describe, type Log } from "../http/log.ts";
import { Problem } from "../http/problem.ts";
import type { IdentityProvider, SignIn, Tokens } from "../identity/keycloak.ts";
import type { Attempt, UserService } from "./user-service.ts";

export type SignInNeeds = { identity: IdentityProvider; userService: UserService; log: Log; now: () => number };

/** Kept back of the call's time, at most half of it, so that what was judged is settled. */
const SETTLE_MS = 1500;

/**
 * Signs a user in. The guess is reserved before the identity provider is asked and settled after; one that was
 * never judged is given back, since an identity provider that is away does not count against a user.
 * Throws `SECURITY_INVALID_CREDENTIALS_401`, alike for unknown and known names, or `ACCOUNT_LOCKED_403`.
 */
export async function signIn(needs: SignInNeeds, call: Call, { username, password }: { username: string; password: string }): Promise<Tokens> {
  const { identity, userService, now } = needs;
  const attempt = await userService.reserve(call, username);
  const keptBack = Math.min(SETTLE_MS, (call.deadline - now()) / 2);
  const judged = await identity
    .signIn({ ...call, deadline: call.deadline - keptBack }, { username: attempt.username, password: password.normalize("NFC") })
    .catch((error: unknown) => giveBack(needs, call, { attempt, error }));
  await userService.settle(call, attempt, judged.outcome === "refused").catch((error: unknown) => abandon(needs, call, { judged, error }));
  if (judged.outcome === "refused") throw new Problem("SECURITY_INVALID_CREDENTIALS_401", "The user name or the password is wrong");
  return judged.tokens;
}

async function giveBack({ userService, log }: SignInNeeds, call: Call, { attempt, error }: { attempt: Attempt; error: unknown }): Promise<SignIn> {
  // Should this fail too, the reservation's lease ends by itself.
  await userService.release(call, attempt).catch((cause: unknown) => warn(log, call, { message: "Cannot give an attempt back", cause }));
  throw error;
}

/** Nobody gets the tokens, so their session is nobody's. */
async function abandon({ identity, log }: SignInNeeds, call: Call, { judged, error }: { judged: SignIn; error: unknown }): Promise<never> {
  const session = judged.outcome === "signed-in" ? judged.tokens.refresh_token : undefined;
  if (session !== undefined) await identity.endSession(call, session).catch((cause: unknown) => warn(log, call, { message: "Cannot end a session that nobody has", cause }));
  throw error;
}

function warn(log: Log, { requestId }: Call, { message, cause }: { message: string; cause: unknown }): void {
  log({ level: "warn", service: "auth-service", message, requestId, error: describe(cause) });
}

/** New tokens for a refresh token; the old one is used up. Throws `REFRESH_TOKEN_INVALID_401`. */
export async function refresh({ identity }: Pick<SignInNeeds, "identity">, call: Call, refreshToken: string): Promise<Tokens> {
  const renewed = await identity.refresh(call, refreshToken);
  if (renewed.outcome === "refused") throw invalidRefreshToken();
  return renewed.tokens;
}

/** Ends the session; repeated, it has no further effect. Throws `REFRESH_TOKEN_INVALID_401` for a token that is none of ours. */
export async function signOut({ identity }: Pick<SignInNeeds, "identity">, call: Call, refreshToken: string): Promise<void> {
  if (!(await identity.endSession(call, refreshToken))) throw invalidRefreshToken();
}

function invalidRefreshToken(): Problem {
  return new Problem("REFRESH_TOKEN_INVALID_401", "The refresh token is used up, expired, or none of ours");
}
