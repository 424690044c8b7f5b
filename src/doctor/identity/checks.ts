import { jsonOf } from "../../http/upstream.ts";
import { path } from "../../http/path.ts";
import { type Ask, askOf, type Outside } from "../client.ts";
import { clockByDate, clockFinding } from "../clock.ts";
import type { Finding, Findings } from "../finding.ts";
import { answerOf, type Place, reached } from "../reach.ts";
import { administered } from "./administered.ts";
import type { OwnClient } from "./client.ts";
import { found, SYSTEM } from "./found.ts";
import { issuerFinding, keyFindings } from "./published.ts";
import { rightsFindings } from "./rights.ts";
import { directGrantFinding, refusedClient } from "./sign-in.ts";
import { type OwnToken, ownToken, tokenFindings } from "./token.ts";
import { type RegisteredUser, usersFinding } from "./users.ts";

export type IdentityNeeds = Outside & {
  /** Base URL, as IDENTITY_URL has it. */
  url: string;
  realm: string;
  /** Of the services that run here. */
  clients: readonly OwnClient[];
  /** Those who registered last, newest first; undefined where the database is not to be asked. */
  newestUsers?: (() => Promise<RegisteredUser[]>) | undefined;
};

type At = { ask: Ask; oidc: string; place: Place };

/** What a Keycloak is like, seen from the platform: as anyone, as each of our clients, and with the rights of the administration service. */
export async function* identityChecks({ url, realm, clients, newestUsers, ...outside }: IdentityNeeds): Findings {
  const ask = askOf({ name: "identity provider", url }, outside);
  const place = { system: SYSTEM, setting: "IDENTITY_URL", url };
  const root = path`/realms/${realm}`;
  const { answer: first, fault: away } = answerOf(place, await ask({ method: "GET", path: root }));
  if (away) {
    yield away;
    return away.sentence;
  }
  yield reached(place);
  if (first.status !== 200) {
    const isMissing = first.status === 404 && /Realm does not exist/.test(first.text);
    const fault = isMissing ? found("realm-missing", { realm, url }) : found("not-keycloak", { url, status: first.status });
    yield fault;
    return fault.sentence;
  }
  yield found("realm", { realm });
  const issuer = `${url}${root}`;
  const at = { ask, oidc: `${root}/protocol/openid-connect`, place };
  yield issuerFinding(await ask({ method: "GET", path: `${root}/.well-known/openid-configuration` }), { expected: issuer, base: url });
  yield* keyFindings(await ask({ method: "GET", path: `${at.oidc}/certs` }));

  const signedIn = await Promise.all(clients.map((client) => signIn(at, client)));
  const clock = clockByDate(SYSTEM, first) ?? signedIn.find(({ clock }) => clock)?.clock;
  if (clock) yield clock;
  for (const { client, token, findings } of signedIn) {
    yield* findings;
    if (token) yield* [...tokenFindings(client, token, { issuer, base: url }), ...rightsFindings(client, token.claims)];
  }
  const auth = signedIn.find(({ client }) => client.service === "auth");
  if (auth) yield* await grantFindings(at, auth);
  const tokenOf = (service: OwnClient["service"]) => signedIn.find(({ client }) => client.service === service)?.token?.text;
  if (newestUsers) yield await usersFinding(newestUsers, { ask, realm, token: tokenOf("users") });
  return yield* administered({ ask, url, realm, clients, token: tokenOf("admin") });
}

type SignedIn = { client: OwnClient; token?: OwnToken; clock?: Finding; findings: Finding[] };

async function signIn({ ask, oidc, place }: At, client: OwnClient): Promise<SignedIn> {
  const form = { grant_type: "client_credentials", client_id: client.id, client_secret: client.secret };
  const { answer, fault } = answerOf(place, await ask({ method: "POST", path: `${oidc}/token`, form }));
  if (fault) return { client, findings: [fault] };
  const { access_token } = (jsonOf(answer.text) ?? {}) as { access_token?: unknown };
  const token = answer.status === 200 && typeof access_token === "string" ? ownToken(access_token) : undefined;
  if (!token) return { client, findings: [refusedClient(client, answer)] };
  const clock = clockFinding(SYSTEM, { ...answer, theirs: token.claims.iat * 1000 });
  return { client, token, clock, findings: [found("client-secret", { client: client.id, setting: client.setting })] };
}

/** What the authentication service does besides: it signs people in, and others introspect what it was given. */
async function grantFindings({ ask, oidc }: At, { client, token }: SignedIn): Promise<Finding[]> {
  const credentials = { client_id: client.id, client_secret: client.secret };
  const grant = directGrantFinding(client, await ask({ method: "POST", path: `${oidc}/token`, form: { grant_type: "password", ...credentials } }));
  if (!token) return grant ? [grant] : [];
  const outcome = await ask({ method: "POST", path: `${oidc}/token/introspect`, form: { ...credentials, token: token.text } });
  const active = outcome.kind === "answer" ? (jsonOf(outcome.text) as { active?: unknown } | undefined)?.active : undefined;
  const introspection = typeof active === "boolean" ? [found(active ? "introspection" : "introspection-off", { client: client.id })] : [];
  return [...(grant ? [grant] : []), ...introspection];
}
