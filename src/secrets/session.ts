import type { Call } from "../http/call.ts";
import { sendHolding } from "../http/held-token.ts";
import { type Answer, type Exchange, type Outcome, type Upstream, upstreamProblem } from "../http/upstream.ts";
import { errorsOf, STORE } from "./answer.ts";
import { approleToken } from "./approle-token.ts";

export type SessionNeeds = {
  server: Upstream;
  /** Sent with every request. */
  headers: Record<string, string>;
  roleId: string;
  secretId: string;
  now: () => number;
  sharesPending: boolean;
};

/** Speaks with this service's own token; a token that is not valid is replaced once. */
export type Session = (call: Call, exchange: Exchange) => Promise<Answer>;

export function openSession(needs: SessionNeeds): Session {
  const { server, headers } = needs;
  const own = approleToken(needs);

  return async (call, exchange) => {
    const outcome = await sendHolding(own, call, {
      send: (token) => server.send(call, { ...exchange, headers: { ...headers, ...exchange.headers, "x-vault-token": token } }),
      isRefused: isTokenRefused,
    });
    if (outcome.kind !== "answer") throw upstreamProblem(STORE, outcome);
    return outcome;
  };
}

/**
 * Whether a 403 is about the token: a right that it lacks is `1 error occurred: …` on both servers, a token that is not
 * valid a bare `permission denied` (OpenBao) or one of two errors (Vault). Another token would not bring the right.
 */
function isTokenRefused(outcome: Outcome): boolean {
  return outcome.kind === "answer" && outcome.status === 403 && !errorsOf(outcome).some((error) => error.startsWith("1 error occurred"));
}
