import * as z from "zod";
import type { Call } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { type Held, held, heldToken, sendHolding } from "../http/held-token.ts";
import { shaped, type Upstream, upstream } from "../http/upstream.ts";
import { IDENTITY_PROVIDER as name } from "../identity/admin-rest.ts";
import { type Administer, administer, ADMINISTRATION_TIMEOUT_MS, AdministrationError, notReached } from "./administer.ts";

/** Of the realm `master`: a person, who signs in through `admin-cli`, or a client with a service account. */
export type KeycloakAdministrator = { username: string; password: string } | { clientId: string; clientSecret: string };

export type KeycloakAdminNeeds = {
  /** Base URL, such as `https://id.example.com`. */
  url: string;
  administrator: KeycloakAdministrator;
  fetch: Fetch;
  now: () => number;
};

const TOKEN_PATH = "/realms/master/protocol/openid-connect/token";
/** Lists of users and exports come in one piece. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const TokenSchema = z.object({ access_token: z.string().min(1), expires_in: z.number() });

/** Keycloak's Admin REST (26.x) as an administrator of the whole server; paths begin below `/admin/realms`. */
export function keycloakAdmin({ url, administrator, fetch, now }: KeycloakAdminNeeds): Administer {
  const server = upstream({ name, url, fetch, now, timeout: ADMINISTRATION_TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES });
  const token = heldToken((call) => signIn(call, { server, url, administrator, now }), { now, sharesPending: true });

  const hints = { 403: `, so ${"username" in administrator ? "IDENTITY_ADMIN_USERNAME" : "IDENTITY_ADMIN_CLIENT_ID"} has not the right` };
  return administer({ name, url, hints }, (call, exchange) =>
    sendHolding(token, call, {
      send: (bearer) =>
        server.send(call, { ...exchange, path: `/admin/realms${exchange.path}`, headers: { ...exchange.headers, authorization: `Bearer ${bearer}` } }),
      isRefused: (outcome) => outcome.kind === "answer" && outcome.status === 401,
    }),
  );
}

type SigningIn = { server: Upstream; url: string; administrator: KeycloakAdministrator; now: () => number };

async function signIn(call: Call, { server, url, administrator, now }: SigningIn): Promise<Held> {
  const began = now();
  const outcome = await server.send(call, { method: "POST", path: TOKEN_PATH, form: formOf(administrator) });
  if (outcome.kind === "lost") throw notReached({ name, url }, outcome);
  if (outcome.status !== 200) throw new AdministrationError(`Cannot sign in at the ${name} "${url}" as "${nameOf(administrator)}": it answered ${outcome.status}${hintFor(outcome.status, administrator)}`);
  const { access_token, expires_in } = shaped(name, outcome, TokenSchema);
  return held(access_token, { began, lifetime: expires_in * 1000 });
}

function formOf(administrator: KeycloakAdministrator): Record<string, string> {
  return "username" in administrator
    ? { grant_type: "password", client_id: "admin-cli", username: administrator.username, password: administrator.password }
    : { grant_type: "client_credentials", client_id: administrator.clientId, client_secret: administrator.clientSecret };
}

function hintFor(status: number, administrator: KeycloakAdministrator): string {
  if (status === 404) return ": IDENTITY_URL is the base URL, with its http-relative-path if it has one";
  if (status !== 400 && status !== 401) return "";
  return `: is ${"username" in administrator ? "IDENTITY_ADMIN_PASSWORD" : "IDENTITY_ADMIN_CLIENT_SECRET"} right?`;
}

function nameOf(administrator: KeycloakAdministrator): string {
  return "username" in administrator ? administrator.username : administrator.clientId;
}
