import { type Body, countField, flagField, listField, secondsField } from "../body.ts";
import { badRequest, oneError } from "../refusal.ts";
import { MAX_TTL_SECONDS } from "../tokens/token.ts";

/** What a role says of its secret-ids and tokens. Times are seconds; 0 is the server's own. */
export type RoleSettings = {
  token_policies: string[];
  token_ttl: number;
  token_max_ttl: number;
  token_num_uses: number;
  token_no_default_policy: boolean;
  secret_id_ttl: number;
  secret_id_num_uses: number;
};

export type Role = { name: string; roleId: string; settings: RoleSettings };

export const DEFAULT_SETTINGS: RoleSettings = {
  token_policies: [],
  token_ttl: 0,
  token_max_ttl: 0,
  token_num_uses: 0,
  token_no_default_policy: false,
  secret_id_ttl: 0,
  secret_id_num_uses: 0,
};

/** Restrictions and kinds of tokens that this server does not have: to accept one would promise what is not kept. */
const UNSUPPORTED = ["token_bound_cidrs", "secret_id_bound_cidrs", "token_explicit_max_ttl", "token_period", "token_strictly_bind_ip", "local_secret_ids", "bound_cidr_list"];

/** The settings that a body names; those it omits stay as they are. */
export function settingsIn(body: Body): Partial<RoleSettings> {
  for (const name of UNSUPPORTED) if (!isNone(body[name])) throw badRequest(`${name} is not supported by this server`);
  if (!isNone(body["token_type"]) && body["token_type"] !== "default" && body["token_type"] !== "service") {
    throw badRequest("token_type is not supported by this server");
  }
  if (flagField(body, "bind_secret_id") === false) throw oneError(500, "at least one constraint should be enabled on the role");
  const settings = {
    token_policies: listField(body, "token_policies") ?? listField(body, "policies"),
    token_ttl: secondsField(body, "token_ttl"),
    token_max_ttl: secondsField(body, "token_max_ttl"),
    token_num_uses: countField(body, "token_num_uses"),
    token_no_default_policy: flagField(body, "token_no_default_policy"),
    secret_id_ttl: secondsField(body, "secret_id_ttl"),
    secret_id_num_uses: countField(body, "secret_id_num_uses"),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === 0 || value === "0" || value === false || (Array.isArray(value) && value.length === 0);
}

export function ttlAboveMax() {
  return badRequest("'token_ttl' cannot be greater than 'token_max_ttl'");
}

export function isTtlAboveMax({ token_ttl, token_max_ttl }: RoleSettings): boolean {
  return token_max_ttl > 0 && token_ttl > token_max_ttl;
}

export function warningsOf(changes: Partial<RoleSettings>): string[] {
  const isLong = (changes.token_max_ttl ?? 0) > MAX_TTL_SECONDS;
  return isLong ? ["token_max_ttl is greater than the backend mount's maximum TTL value; issued tokens' max TTL value will be truncated"] : [];
}

/** As Vault reads a role out. */
export function roleDocument(settings: RoleSettings) {
  return {
    bind_secret_id: true,
    local_secret_ids: false,
    secret_id_bound_cidrs: null,
    secret_id_num_uses: settings.secret_id_num_uses,
    secret_id_ttl: settings.secret_id_ttl,
    token_bound_cidrs: [],
    token_explicit_max_ttl: 0,
    token_max_ttl: settings.token_max_ttl,
    token_no_default_policy: settings.token_no_default_policy,
    token_num_uses: settings.token_num_uses,
    token_period: 0,
    token_policies: settings.token_policies,
    token_ttl: settings.token_ttl,
    token_type: "default",
  };
}

/** What a token of the role gets: lower-case, each once, `default` unless the role says no. */
export function tokenPolicies({ token_policies, token_no_default_policy }: RoleSettings): string[] {
  const names = token_policies.map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
  return [...new Set([...(token_no_default_policy ? [] : ["default"]), ...names])].toSorted();
}

/** Seconds that a token of the role lasts, and that renewals can make of it. */
export function tokenTtl({ token_ttl, token_max_ttl }: RoleSettings): { ttl: number; max: number } {
  const max = Math.min(token_max_ttl || MAX_TTL_SECONDS, MAX_TTL_SECONDS);
  return { ttl: Math.min(token_ttl || MAX_TTL_SECONDS, max), max };
}
