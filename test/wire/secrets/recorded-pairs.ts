import type { Recorded } from "../scripted.ts";

/** The answers of OpenBao 2.6.2 and of Vault 1.21.4 to the same request. */
export type Pair = { openBao: Recorded; vault: Recorded };

const envelope = (data: string, { rest = `"wrap_info":null,"warnings":null,"auth":null`, mount = "" } = {}) =>
  `{"request_id":"6a1c2d50-8a8e-4a41-8f5a-3f1f6d9cf1d1","lease_id":"","renewable":false,"lease_duration":0,"data":${data},${rest}${mount && `,"mount_type":"${mount}"`}}`;

/** OpenBao sends it on plain HTTP too. */
const strict = { "cache-control": "no-store", "strict-transport-security": "max-age=31536000; includeSubDomains" };

const openBao = (status: number, body: string): Recorded => ({ status, body, headers: strict });
const vault = (status: number, body: string): Recorded => ({ status, body, headers: { "cache-control": "no-store" } });
const errors = (...texts: string[]) => JSON.stringify({ errors: texts });
/** The same data, in the envelope of each. */
const both = (data: string, mount: string): Pair => ({ openBao: openBao(200, envelope(data)), vault: vault(200, envelope(data, { mount })) });
const alike = (status: number, body: string): Pair => ({ openBao: openBao(status, body), vault: vault(status, body) });

const auth = (token: string) =>
  `"wrap_info":null,"warnings":null,"auth":{"client_token":"${token}","accessor":"27xpQDn15pGAC02Nar4wxabT","policies":["default","platform-admin"],"token_policies":["default","platform-admin"],"metadata":{"role_name":"admin-service"},"lease_duration":3600,"renewable":true,"entity_id":"9374f1b5-0d28-367a-a642-377bb81fc1ac","token_type":"service","orphan":true,"mfa_requirement":null,"num_uses":0}`;
const unversioned = (command: string) =>
  envelope("null", { rest: `"wrap_info":null,"warnings":["Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the ${command}"],"auth":null` });
const role = (more: string) =>
  `{"bind_secret_id":true,"local_secret_ids":false,"secret_id_bound_cidrs":null,"secret_id_num_uses":0,"secret_id_ttl":2592000,"token_bound_cidrs":[],"token_explicit_max_ttl":0,"token_max_ttl":14400,"token_no_default_policy":false,"token_num_uses":0,"token_period":0,"token_policies":["svc-a-policy"],${more}"token_ttl":3600,"token_type":"default"}`;
const version = (number: number) => `{"created_time":"2026-11-21T01:01:17.159988287Z","custom_metadata":null,"deletion_time":"","destroyed":false,"version":${number}}`;

export const pairs = {
  login: {
    openBao: openBao(200, envelope("null", { rest: auth("s.nk5lFPa5MpKiKHOAjHdwFIfu") })),
    vault: vault(200, envelope("null", { rest: auth("hvs.CAESIJmk5lFPa5MpKiKHOAjHdwFIfu") })),
  },
  health: {
    openBao: openBao(200, `{"initialized":true,"sealed":false,"standby":false,"replication_performance_mode":"disabled","replication_dr_mode":"disabled","server_time_utc":1795222873,"version":"2.6.2","cluster_name":"vault-cluster-d70ec5e9","cluster_id":"3d5a7c9e-0000-4000-8000-000000000000"}`),
    vault: vault(200, `{"initialized":true,"sealed":false,"standby":false,"performance_standby":false,"replication_performance_mode":"disabled","replication_dr_mode":"disabled","server_time_utc":1795222873,"version":"1.21.4","enterprise":false,"cluster_name":"vault-cluster-1e802be6","cluster_id":"3d5a7c9e-0000-4000-8000-000000000000","echo_duration_ms":0,"clock_skew_ms":0,"replication_primary_canary_age_ms":0}`),
  },
  roles: both(`{"keys":["svc-a","svc-b"]}`, "approle"),
  role: { openBao: openBao(200, envelope(role(`"token_strictly_bind_ip":false,`))), vault: vault(200, envelope(role(""), { mount: "approle" })) },
  roleOfRace: { openBao: openBao(500, errors("transaction commit failed: canary-of-another-service")), vault: vault(403, errors("1 error occurred:\n\t* permission denied\n\n")) },
  document: both(`{"data":{"a":"1"},"metadata":${version(2)}}`, "kv"),
  written: both(version(3), "kv"),
  policies: both(`{"keys":["default","svc-a-policy","root"]}`, "system"),
  nothing: alike(404, `{"errors":[]}`),
  tokenInvalid: { openBao: openBao(403, errors("permission denied")), vault: vault(403, errors("2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n")) },
  rightLacking: alike(403, errors("1 error occurred:\n\t* permission denied\n\n")),
  renewalOfDeletedRole: alike(500, errors(`1 error occurred:\n\t* failed to renew entry: role "admin-service" does not exist during renewal\n\n`)),
  loginOfDeletedRole: alike(400, errors("invalid role or secret ID")),
  loginLocked: alike(403, errors("permission denied")),
  sealed: alike(503, errors("Vault is sealed")),
  tooManyEntries: {
    openBao: openBao(400, errors("refused JSON input due to high complexity: exceeded maximum number of strings")),
    vault: vault(500, errors("JSON object exceeds allowed entry count")),
  },
  valueTooLarge: { openBao: openBao(413, errors("http: request body too large")), vault: vault(500, errors("JSON string value exceeds allowed length")) },
  unversionedMount: {
    openBao: openBao(404, unversioned("OpenBao CLI, use 'bao kv get' for this operation.")),
    vault: vault(404, unversioned("Vault CLI, use 'vault kv get' for this operation.")),
  },
  /** OpenBao says that there is none, Vault reads from where all are. */
  namespaceUnknown: { openBao: openBao(404, errors("namespace not found")), vault: vault(200, envelope(`{"data":{"a":"1"},"metadata":${version(2)}}`, { mount: "kv" })) },
  /** OpenBao takes the last of two, Vault neither. */
  policyWithDoubleAttribute: {
    openBao: openBao(204, ""),
    vault: vault(400, errors(`failed to parse policy: The argument "capabilities" at 2:2 was already set. Each argument can only be defined once`)),
  },
} satisfies Record<string, Pair>;
