import { answer, type Auth, done, iso } from "../answer.ts";
import { secondsField } from "../body.ts";
import { oneError } from "../refusal.ts";
import type { Handler } from "../routes.ts";
import { tokenOf } from "./bearer.ts";
import { renewToken, revokeToken } from "./store.ts";
import type { Token } from "./token.ts";

export const lookupSelf: Handler = async ({ server, token, headers }) =>
  answer(server, {
    accessor: token.accessor,
    creation_time: Math.floor(token.created / 1000),
    creation_ttl: token.ttl,
    display_name: "approle",
    entity_id: "",
    expire_time: iso(token.expires),
    explicit_max_ttl: 0,
    id: tokenOf(headers),
    issue_time: iso(token.created),
    meta: token.metadata,
    num_uses: token.usesLeft ?? 0,
    orphan: true,
    path: "auth/approle/login",
    policies: token.policies,
    renewable: true,
    ttl: Math.floor((token.expires - server.now()) / 1000),
    type: "service",
  });

export const renewSelf: Handler = async ({ server, token, headers, body }) => {
  const sent = await body();
  const seconds = secondsField(sent, "increment") || token.ttl;
  const now = server.now();
  const renewed = await renewToken(server.db, { hash: token.hash, seconds, now });
  if (!renewed) throw oneError(500, `failed to renew entry: role "${token.role}" does not exist during renewal`);
  const left = Math.floor((renewed.expires - now) / 1000);
  const warnings = renewed.isCapped ? [`TTL of "${seconds}s" exceeded the effective max_ttl of "${left}s"; TTL value is capped accordingly`] : [];
  return answer(server, null, { warnings, auth: authOf(token, { token: tokenOf(headers), seconds: left }) });
};

export const revokeSelf: Handler = async ({ server, token }) => {
  await revokeToken(server.db, token.hash);
  return done(server);
};

export function authOf(issued: Pick<Token, "accessor" | "policies" | "metadata" | "usesLeft">, { token, seconds }: { token: string; seconds: number }): Auth {
  return { client_token: token, accessor: issued.accessor, policies: issued.policies, metadata: issued.metadata, lease_duration: seconds, num_uses: issued.usesLeft ?? 0 };
}
