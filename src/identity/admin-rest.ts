import type { Call } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { path } from "../http/path.ts";
import { type Answer, type Exchange, type Outcome, unusable, upstream } from "../http/upstream.ts";
import { type HeldToken, sendHolding } from "../http/held-token.ts";

export type AdminRestNeeds = { url: string; realm: string; fetch: Fetch; now: () => number; token: HeldToken; leastInFlight?: number };

/** One call of Keycloak's Admin REST; paths begin below `/admin/realms/{realm}`. */
export type AdminRest = (call: Call, exchange: Exchange) => Promise<Outcome>;

/** As people call it in problems and logs. */
export const IDENTITY_PROVIDER = "identity provider";

/** How many passwords it may hash at once however late it is: fewer would make none of them quicker. */
export const HASHES_LEAST = 2;

const TIMEOUT_MS = 3000;

/** Speaks to the Admin REST as this service; a token that is refused is replaced once. */
export function adminRest({ url, realm, token, ...needs }: AdminRestNeeds): AdminRest {
  const server = upstream({ ...needs, name: IDENTITY_PROVIDER, url: `${url}${path`/admin/realms/${realm}`}`, timeout: TIMEOUT_MS });

  return (call, exchange) =>
    sendHolding(token, call, {
      send: (bearer) => server.send(call, { ...exchange, headers: { authorization: `Bearer ${bearer}` } }),
      isRefused: (outcome) => outcome.kind === "answer" && (outcome.status === 401 || outcome.status === 403),
    });
}

/** The id at the end of `Location`; its host follows the request's `Host` and says nothing. */
export function createdId({ headers }: Answer): string {
  const id = /\/([\w-]{1,255})$/.exec(headers.get("location") ?? "")?.[1];
  if (id) return id;
  throw unusable(IDENTITY_PROVIDER, "No id in Location");
}
