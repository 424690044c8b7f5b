import type { Table } from "../finding.ts";
import { LEAST } from "../versions.ts";
import { clockFindings, reachFindings } from "./reach.ts";

/** Of Vault or OpenBao. `{service}` is whose AppRole it is, `{roleId}` and `{secretId}` its settings. */
export const secretsFindings = {
  embedded: { check: "reachable", status: "ok", sentence: "Embedded: for one process, with what the first start made" },
  ...reachFindings,
  state: { check: "state", status: "ok", sentence: "Initialised, unsealed and active" },
  sealed: { check: "state", status: "error", sentence: "It is sealed", remedy: "vault operator unseal, or set up auto-unseal" },
  "not-initialised": { check: "state", status: "error", sentence: "It is not initialised", remedy: "vault operator init, then unseal it, then `npm run provision`" },
  standby: { check: "state", status: "warning", sentence: "It is a standby, or just unsealed and not active yet", remedy: "Set SECRETS_URL to the address that leads to the active node" },
  "not-vault": { check: "state", status: "error", sentence: "It answers {status} where a Vault tells of its health", remedy: "Set SECRETS_URL to the base URL of a Vault or OpenBao, without /v1" },
  version: { check: "version", status: "ok", sentence: "Version {version}" },
  "version-old": { check: "version", status: "warning", sentence: `Version {version} is older than what this is tested with (Vault ${LEAST.vault}, OpenBao ${LEAST.openBao})`, remedy: "Upgrade it" },
  ...clockFindings,

  login: { check: "login", status: "ok", sentence: "{service}: {roleId} and {secretId} log in" },
  "login-refused": {
    check: "login",
    status: "error",
    sentence: "{service}: {roleId} and {secretId} do not log in",
    remedy: "vault read auth/approle/role/{role}/role-id, vault write -f auth/approle/role/{role}/secret-id: set both from there, or run `npm run provision`",
  },
  "login-locked": {
    check: "login",
    status: "error",
    sentence: "{service}: the login is refused with 403: the role is locked after wrong secret-ids, or there is no AppRole auth at approle/",
    remedy: "Wait 15 minutes, or vault write -f sys/locked-users/ACCESSOR/unlock/ROLE_ID; without the mount, vault auth enable approle, or run `npm run provision`",
  },
  "login-namespace": { check: "login", status: "error", sentence: "{service}: there is no namespace {namespace}", remedy: "Correct SECRETS_NAMESPACE, or unset it" },
  "login-odd": { check: "login", status: "error", sentence: "{service}: the login is answered {status}", remedy: "Look at the audit log of the secrets store" },
  token: { check: "token", status: "ok", sentence: "{service}: its tokens live {ttl} and can be renewed" },
  "token-not-renewable": { check: "token", status: "warning", sentence: "{service}: its tokens cannot be renewed, so that it logs in every {ttl}", remedy: "vault write auth/approle/role/{role} token_type=service token_ttl=1h token_max_ttl=4h" },
  "token-short": { check: "token", status: "warning", sentence: "{service}: its tokens live {ttl}: they are renewed all the time", remedy: "vault write auth/approle/role/{role} token_ttl=1h token_max_ttl=4h" },
  "token-uses": { check: "token", status: "error", sentence: "{service}: its tokens are good for {uses} calls only", remedy: "vault write auth/approle/role/{role} token_num_uses=0" },
  "secret-id": { check: "secret-id", status: "ok", sentence: "{service}: its secret-id has no end" },
  "secret-id-left": { check: "secret-id", status: "ok", sentence: "{service}: its secret-id is good for another {left}" },
  "secret-id-ends": {
    check: "secret-id",
    status: "warning",
    sentence: "{service}: its secret-id ends in {left}",
    remedy: "vault write -f auth/approle/role/{role}/secret-id, set {secretId} and restart; or run `npm run provision`",
  },
  "secret-id-ttl": {
    check: "secret-id",
    status: "warning",
    sentence: "{service}: its secret-ids last {ttl} from when they were made, and when that was is not shown to it",
    remedy: "Renew {secretId} in time, or vault write auth/approle/role/{role} secret_id_ttl=0 and make a new one",
  },
  "secret-id-uses": { check: "secret-id", status: "error", sentence: "{service}: its secret-ids are good for {uses} logins only", remedy: "vault write auth/approle/role/{role} secret_id_num_uses=0, then a new secret-id for {secretId}" },

  mount: { check: "mount", status: "ok", sentence: "KV version 2 is at secret/" },
  "mount-missing": { check: "mount", status: "error", sentence: "There is no KV engine at secret/, or nothing in it is open to {service}", remedy: "vault secrets enable -path=secret -version=2 kv, or run `npm run provision`" },
  "mount-version": { check: "mount", status: "error", sentence: "What is at secret/ is {found}, not KV version 2", remedy: "vault kv enable-versioning secret" },

  capabilities: { check: "capabilities", status: "ok", sentence: "{service}: its policies allow all it does ({count} paths)" },
  "capabilities-missing": {
    check: "capabilities",
    status: "error",
    sentence: "{service}: {path} lacks {missing}",
    remedy: "Give its policy what `npm run -s policies:admin` prints (for the configuration server, read on secret/data/platform/+/+), or run `npm run provision`",
  },
  "policy-missing": {
    check: "capabilities",
    status: "error",
    sentence: '{service}: the policy "{policy}" is missing or empty: nothing of what the service does is allowed to it',
    remedy: "Run `npm run provision`; where a policy of that name is there and not its own, with --adopt",
  },
  "policy-none": {
    check: "capabilities",
    status: "error",
    sentence: "{service}: its AppRole {role} gives its tokens no policy: nothing of what the service does is allowed to it",
    remedy: "vault write auth/approle/role/{role} token_policies={policy}, or run `npm run provision`",
  },
  "capabilities-root": { check: "excess", status: "error", sentence: "{service}: it has root rights", remedy: "Give the AppRole {role} the policies that the README names, and no others" },
  "capabilities-own": {
    check: "excess",
    status: "error",
    sentence: "{service}: it may write its own policy {policy}, and so give itself any right",
    remedy: "Call its policy platform-admin, and allow only the names that `npm run -s policies:admin` prints",
  },
  "capabilities-mint": { check: "excess", status: "error", sentence: "{service}: it may make credentials of the platform's own AppRole {other}", remedy: "Deny auth/approle/role/{other}/secret-id, as `npm run -s policies:admin` prints it" },
  "capabilities-overwrite": { check: "excess", status: "warning", sentence: "{service}: it may write over AppRoles that exist", remedy: "Take update off auth/approle/role/+, as `npm run -s policies:admin` prints it" },
  "capabilities-excess": { check: "excess", status: "warning", sentence: "{service}: it may also {capabilities} {path}", remedy: "Take that out of its policies" },
  "capabilities-left": {
    check: "excess",
    status: "ok",
    sentence: "{service}: its policies leave to it, and so to who has {secretId}, to {powers}",
  },
  "capabilities-least": { check: "excess", status: "ok", sentence: "{service}: and nothing beyond that was found" },
} as const satisfies Table;
