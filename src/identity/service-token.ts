import * as z from "zod";
import type { Call } from "../http/call.ts";
import { type Held, held, type HeldToken, heldToken, type Sharing } from "../http/held-token.ts";
import { Problem } from "../http/problem.ts";
import { shaped, type Upstream, upstreamProblem } from "../http/upstream.ts";

export type ServiceTokenNeeds = Sharing & {
  provider: Upstream;
  /** `/realms/{realm}/protocol/openid-connect/token` */
  tokenPath: string;
  clientId: string;
  clientSecret: string;
};

const TokenSchema = z.object({ access_token: z.string(), expires_in: z.number() });

/** This service's own access token (RFC 6749, 4.4). */
export function serviceToken(needs: ServiceTokenNeeds): HeldToken {
  return heldToken((call) => requestToken(call, needs), needs);
}

async function requestToken(call: Call, { provider, tokenPath, clientId, clientSecret, now }: ServiceTokenNeeds): Promise<Held> {
  const began = now();
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const outcome = await provider.send(call, { method: "POST", path: tokenPath, form });
  if (outcome.kind !== "answer" || outcome.status !== 200) {
    const isRefused = outcome.kind === "answer" && outcome.status < 500 && outcome.status !== 429;
    if (!isRefused) throw upstreamProblem(provider.name, outcome);
    const cause = new Error(`The ${provider.name} refused the client "${clientId}" with ${outcome.status}`);
    throw new Problem("UPSTREAM_BAD_ANSWER_502", `The ${provider.name} does not accept this service`, { cause });
  }
  const { access_token, expires_in } = shaped(provider.name, outcome, TokenSchema);
  return held(access_token, { began, lifetime: expires_in * 1000 });
}
