import * as z from "zod";
import type { Call } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { path } from "../http/path.ts";
import { Problem } from "../http/problem.ts";
import { type Exchange, jsonOf, shaped, upstream, upstreamProblem } from "../http/upstream.ts";
import { adminRest, createdId, HASHES_LEAST, IDENTITY_PROVIDER as name } from "./admin-rest.ts";
import { checkRealm } from "./realm-check.ts";
import { serviceToken } from "./service-token.ts";

export type KeycloakNeeds = {
  /** Base URL, such as `https://id.example.com`. */
  url: string;
  realm: string;
  clientId: string;
  clientSecret: string;
  fetch: Fetch;
  now: () => number;
  sharesPending: boolean;
  /** Milliseconds for one call of the token endpoint: hashing a password is slow. */
  tokenTimeout: number;
};

export type Tokens = z.infer<typeof TokensSchema>;

/** `refused` is the provider's judgement of what the user sent; anything else that fails is a Problem. */
export type SignIn = { outcome: "signed-in"; tokens: Tokens } | { outcome: "refused" };

export type NewIdentity = {
  username: string;
  password: string;
  firstName: string;
  lastName: string;
  email: string;
  enabled: boolean;
};

/** `rejected`: the provider's own rules refuse a field. `lost`: it may have been created all the same. */
export type Creation =
  | { outcome: "created"; id: string }
  | { outcome: "exists" }
  | { outcome: "rejected"; field: string }
  | { outcome: "lost"; problem: Problem };

export type Identity = { id: string; username: string; email?: string | undefined; enabled: boolean };

export type IdentityProvider = ReturnType<typeof keycloak>;

const TokensSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.number(),
  refresh_token: z.string().optional(),
  refresh_expires_in: z.number().optional(),
  token_type: z.string(),
  scope: z.string().optional(),
});
const IdentitySchema = z.object({ id: z.string().min(1), username: z.string(), email: z.string().optional(), enabled: z.boolean() });
const RefusalSchema = z.object({ error: z.string(), error_description: z.string().optional() });
const RejectionSchema = z.object({ field: z.string().optional(), error: z.string().optional(), errors: z.array(z.object({ field: z.string() })).optional() });

/** The client of Keycloak's token endpoint and Admin REST (26.x), as one of our services uses them. */
export function keycloak(needs: KeycloakNeeds) {
  const { url, realm, clientId, clientSecret, fetch, now, sharesPending, tokenTimeout } = needs;
  const oidc = path`/realms/${realm}/protocol/openid-connect`;
  // Whoever asks how we are takes no place from who signs in.
  const checks = upstream({ name, url, fetch, now, timeout: tokenTimeout, maxInFlight: 8 });
  const tokens = upstream({ name, url, fetch, now, timeout: tokenTimeout });
  // What costs the provider a hash is bounded by itself: however late that is, everything else goes on.
  const passwords = upstream({ name, url, fetch, now, timeout: tokenTimeout, leastInFlight: HASHES_LEAST });
  const own = serviceToken({ provider: tokens, tokenPath: `${oidc}/token`, clientId, clientSecret, now, sharesPending });
  const administer = adminRest({ url, realm, fetch, now, token: own });
  const administerPasswords = adminRest({ url, realm, fetch, now, token: own, leastInFlight: HASHES_LEAST });
  const client = { client_id: clientId, client_secret: clientSecret };

  /** A change of an existing identity: false when there is none. */
  async function change(call: Call, exchange: Exchange, by = administer): Promise<boolean> {
    const outcome = await by(call, exchange);
    if (outcome.kind === "answer" && outcome.status === 204) return true;
    if (outcome.kind === "answer" && outcome.status === 404) return false;
    throw upstreamProblem(name, outcome);
  }

  async function grant(call: Call, form: Record<string, string>, by = tokens): Promise<SignIn> {
    const outcome = await by.send(call, { method: "POST", path: `${oidc}/token`, form: { ...form, ...client } });
    if (outcome.kind !== "answer") throw upstreamProblem(name, outcome);
    if (outcome.status === 200) return { outcome: "signed-in", tokens: shaped(name, outcome, TokensSchema) };
    // By error and never by status: bad credentials are 401 up to 26.5 and 400 from 26.6. That the account is
    // disabled or not set up is told only to who knows its password, so it is refused like a wrong one.
    const refusal = RefusalSchema.safeParse(jsonOf(outcome.text)).data;
    if (refusal?.error === "invalid_grant") return { outcome: "refused" };
    if (outcome.status >= 500 || outcome.status === 429) throw upstreamProblem(name, outcome);
    const cause = new Error(`The token endpoint answered ${outcome.status} ${refusal?.error ?? ""}`);
    throw new Problem("UPSTREAM_BAD_ANSWER_502", "The identity provider does not accept this service", { cause });
  }

  return {
    signIn: (call: Call, { username, password }: { username: string; password: string }): Promise<SignIn> =>
      grant(call, { grant_type: "password", username, password, scope: "openid" }, passwords),

    refresh: (call: Call, refreshToken: string): Promise<SignIn> =>
      grant(call, { grant_type: "refresh_token", refresh_token: refreshToken }),

    /** Ends the session of `refreshToken`; false when it is none of ours. */
    async endSession(call: Call, refreshToken: string): Promise<boolean> {
      const form = { ...client, refresh_token: refreshToken };
      const outcome = await tokens.send(call, { method: "POST", path: `${oidc}/logout`, form });
      if (outcome.kind === "answer" && outcome.status === 204) return true;
      if (outcome.kind === "answer" && outcome.status === 400) return false;
      throw upstreamProblem(name, outcome);
    },

    serviceToken: own,

    check: (call: Call) => checkRealm(checks, call, { url, realm }),

    async createUser(call: Call, user: NewIdentity): Promise<Creation> {
      const { password, ...rest } = user;
      const json = { ...rest, emailVerified: true, credentials: [{ type: "password", value: password, temporary: false }] };
      const outcome = await administerPasswords(call, { method: "POST", path: "/users", json });
      if (outcome.kind === "lost") return { outcome: "lost", problem: upstreamProblem(name, outcome) };
      if (outcome.status === 201) return { outcome: "created", id: createdId(outcome) };
      if (outcome.status === 409) return { outcome: "exists" };
      // Where no field is named, its own database has failed: that is 400 there too ("Could not create user").
      const field = outcome.status === 400 ? rejectedField(outcome.text) : undefined;
      if (field !== undefined) return { outcome: "rejected", field };
      return { outcome: "lost", problem: upstreamProblem(name, outcome) };
    },

    async findUser(call: Call, username: string): Promise<Identity | undefined> {
      const query = { username, exact: "true" };
      const outcome = await administer(call, { method: "GET", path: "/users", query });
      if (outcome.kind !== "answer" || outcome.status !== 200) throw upstreamProblem(name, outcome);
      return shaped(name, outcome, z.array(IdentitySchema)).find((found) => found.username === username.toLowerCase());
    },

    // Scalars only: with attributes and without names, Keycloak would wipe names and e-mail.
    setEnabled: (call: Call, id: string, enabled: boolean) => change(call, { method: "PUT", path: path`/users/${id}`, json: { enabled } }),

    setPassword: (call: Call, id: string, value: string) =>
      change(call, { method: "PUT", path: path`/users/${id}/reset-password`, json: { type: "password", value, temporary: false } }, administerPasswords),

    endSessions: (call: Call, id: string) => change(call, { method: "POST", path: path`/users/${id}/logout` }),

    deleteUser: (call: Call, id: string) => change(call, { method: "DELETE", path: path`/users/${id}` }),
  };
}

/** Which field of ours a 400 of the Admin REST is about, if any; its own text stays there. */
function rejectedField(text: string): string | undefined {
  const rejection = RejectionSchema.safeParse(jsonOf(text)).data;
  const field = rejection?.field ?? rejection?.errors?.[0]?.field;
  if (field === "email") return "emailId";
  if (field !== undefined) return field;
  return rejection?.error?.startsWith("invalidPassword") ? "password" : undefined;
}
