import type { Call } from "../http/call.ts";
import { Problem } from "../http/problem.ts";
import { jsonOf, type Upstream, upstreamProblem } from "../http/upstream.ts";

export type ServiceTokenNeeds = {
  provider: Upstream;
  /** `/realms/{realm}/protocol/openid-connect/token` */
  tokenPath: string;
  clientId: string;
  clientSecret: string;
  now: () => number;
  /**
   * Whether callers that wait at once share one request. Not on Workers, where what one request
   * began may not be waited for by another.
   */
  sharesPending: boolean;
};

export type ServiceToken = {
  get: (call: Call) => Promise<string>;
  /** Forgets the token that was refused, so that the next `get` asks for a fresh one. */
  discard: (token: string) => void;
};

const EARLY_MS = 30_000;

/** This service's own access token (RFC 6749, 4.4), fetched once for all who wait and kept in memory until it nears its end. */
export function serviceToken(needs: ServiceTokenNeeds): ServiceToken {
  const { now, sharesPending } = needs;
  let current: { token: string; until: number } | undefined;
  let pending: Promise<string> | undefined;

  async function fetchToken(call: Call): Promise<string> {
    const began = now();
    const { token, lifetime } = await requestToken(call, needs);
    current = { token, until: began + Math.max(lifetime * 1000 - EARLY_MS, lifetime * 500) };
    return token;
  }

  return {
    async get(call) {
      if (current && current.until > now()) return current.token;
      if (!sharesPending) return fetchToken(call);
      pending ??= fetchToken(call).finally(() => {
        pending = undefined;
      });
      return pending;
    },
    discard(token) {
      if (current?.token === token) current = undefined;
    },
  };
}

async function requestToken(call: Call, { provider, tokenPath, clientId, clientSecret }: ServiceTokenNeeds) {
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const outcome = await provider.send(call, { method: "POST", path: tokenPath, form });
  if (outcome.kind !== "answer" || outcome.status !== 200) {
    const isRefused = outcome.kind === "answer" && outcome.status < 500 && outcome.status !== 429;
    if (!isRefused) throw upstreamProblem(provider.name, outcome);
    const cause = new Error(`The ${provider.name} refused the client "${clientId}" with ${outcome.status}`);
    throw new Problem("UPSTREAM_BAD_ANSWER_502", `The ${provider.name} does not accept this service`, { cause });
  }
  const body = jsonOf(outcome.text) as { access_token?: unknown; expires_in?: unknown } | undefined;
  if (typeof body?.access_token !== "string" || typeof body.expires_in !== "number") {
    throw new Problem("UPSTREAM_BAD_ANSWER_502", `The ${provider.name} gave an unusable answer`);
  }
  return { token: body.access_token, lifetime: body.expires_in };
}
