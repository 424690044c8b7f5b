/** Answers as real servers gave them: OpenBao 2.6.2 and, where it answers differently, Vault 1.21.4. */
export type Recorded = { status: number; body: string };

const envelope = (data: string, rest = `"wrap_info":null,"warnings":null,"auth":null`) =>
  `{"request_id":"6a1c2d50-8a8e-4a41-8f5a-3f1f6d9cf1d1","lease_id":"","renewable":false,"lease_duration":0,"data":${data},${rest}}`;

const metadata = (more: string) => `{"created_time":"2026-11-21T01:01:17.159988287Z","custom_metadata":null,${more}}`;
const live = metadata(`"deletion_time":"","destroyed":false,"version":2`);
const deleted = metadata(`"deletion_time":"2026-11-21T01:01:18.159988287Z","destroyed":false,"version":7`);
const destroyed = metadata(`"deletion_time":"","destroyed":true,"version":2`);

const ok = (body: string): Recorded => ({ status: 200, body });
const done: Recorded = { status: 204, body: "" };
const nothing: Recorded = { status: 404, body: `{"errors":[]}` };
const rightLacking: Recorded = { status: 403, body: `{"errors":["1 error occurred:\\n\\t* permission denied\\n\\n"]}` };

const auth = (token: string, seconds: number) =>
  ok(envelope("null", `"wrap_info":null,"warnings":null,"auth":{"client_token":"${token}","accessor":"27xpQDn15pGAC02Nar4wxabT","policies":["default","platform-admin"],"token_policies":["default","platform-admin"],"metadata":{"role_name":"admin-service"},"lease_duration":${seconds},"renewable":true,"entity_id":"","token_type":"service","orphan":true,"mfa_requirement":null,"num_uses":0}`));

export const recorded = {
  done,
  nothing,
  rightLacking,
  login: auth,
  tokenRefusedByOpenBao: { status: 403, body: `{"errors":["permission denied"]}` },
  tokenRefusedByVault: { status: 403, body: `{"errors":["2 errors occurred:\\n\\t* permission denied\\n\\t* invalid token\\n\\n"]}` },
  loginRefused: { status: 400, body: `{"errors":["invalid role or secret ID"]}` },
  locked: { status: 403, body: `{"errors":["permission denied"]}` },
  sealed: { status: 503, body: `{"errors":["Vault is sealed"]}` },
  notActive: { status: 500, body: `{"errors":["local node not active but active cluster node not found"]}` },
  quota: { status: 429, body: `{"errors":["request path \\"secret/data/platform/race/dev\\": rate limit quota exceeded"]}` },
  noMount: { status: 404, body: `{"errors":["no handler for route \\"secret/data/platform/billing/dev\\". route entry not found."]}` },
  commitFailed: { status: 500, body: `{"errors":["transaction commit failed: canary-of-another-service"]}` },
  health: ok(`{"initialized":true,"sealed":false,"standby":false,"performance_standby":false,"replication_performance_mode":"disabled","replication_dr_mode":"disabled","server_time_utc":1795222873,"version":"1.21.4","enterprise":false,"cluster_name":"vault-cluster-1e802be6","cluster_id":"3d5a7c9e-0000-4000-8000-000000000000","echo_duration_ms":0,"clock_skew_ms":0,"replication_primary_canary_age_ms":0}`),
  roles: ok(envelope(`{"keys":["svc-a","svc-b"]}`)),
  rolesOfVault: ok(envelope(`{"keys":["svc-a","svc-b"]}`, `"wrap_info":null,"warnings":["Endpoint ignored these unrecognized parameters: [limit]"],"auth":null,"mount_type":"approle"`)),
  role: ok(envelope(`{"bind_secret_id":true,"local_secret_ids":false,"secret_id_bound_cidrs":null,"secret_id_num_uses":0,"secret_id_ttl":2592000,"token_bound_cidrs":[],"token_explicit_max_ttl":0,"token_max_ttl":14400,"token_no_default_policy":false,"token_num_uses":0,"token_period":0,"token_policies":["svc-a-policy"],"token_ttl":3600,"token_type":"default"}`)),
  roleMadeWithWarning: ok(envelope("null", `"wrap_info":null,"warnings":["token_max_ttl is greater than the backend mount's maximum TTL value; issued tokens' max TTL value will be truncated"],"auth":null`)),
  roleId: ok(envelope(`{"role_id":"c91273e0-8f52-4f5c-9d7c-2d3b6f1f0a11"}`)),
  secretId: ok(envelope(`{"secret_id":"b16f9caa-772e-2275-5e62-2c65bb6ce9f2","secret_id_accessor":"579e33b9-e692-b3cf-391b-1410a642a28c","secret_id_num_uses":0,"secret_id_ttl":2592000}`)),
  secretIdOfNoRole: { status: 404, body: `{"errors":["role \\"nope\\" does not exist"]}` },
  written: ok(envelope(live)),
  document: ok(envelope(`{"data":{"a":"1","b":"2"},"metadata":${live}}`)),
  blanked: ok(envelope(`{"data":null,"metadata":${live}}`)),
  deletedDocument: { status: 404, body: envelope(`{"data":null,"metadata":${deleted}}`) },
  destroyedDocument: { status: 404, body: envelope(`{"data":null,"metadata":${destroyed}}`) },
  conflict: { status: 400, body: `{"errors":["check-and-set parameter did not match the current version"]}` },
  patchOfNothing: { status: 404, body: "" },
  patchOfDeleted: { status: 404, body: envelope(deleted) },
  patchOfBlanked: { status: 500, body: `{"errors":["1 error occurred:\\n\\t* resource does not exist\\n\\n"]}` },
  policies: ok(envelope(`{"keys":["default","svc-a-policy","root"]}`)),
  policyConverted: ok(envelope("null", `"wrap_info":null,"warnings":["policy name was converted to upper-policy"],"auth":null`)),
  policyMalformed: { status: 400, body: `{"errors":["failed to parse policy: At 1:34: error parsing list, expected comma or list end, got: EOF"]}` },
} satisfies Record<string, Recorded | ((token: string, seconds: number) => Recorded)>;
