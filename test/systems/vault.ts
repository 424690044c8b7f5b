import process from "node:process";
import { vaultAdmin } from "../../src/administration/vault.ts";
import { jsonOf } from "../../src/http/upstream.ts";
import type { SecretsToProvide } from "../../src/secrets/embedded/provision.ts";
import { network, newCall, type System } from "./system.ts";

/** Where the Vault under test is; empty where there is none. */
export const VAULT = process.env["VAULT_URL"] ?? "";

/** Of a token that may do everything. */
export const VAULT_TOKEN = process.env["VAULT_TOKEN"] ?? "";

const TOKEN_TTL = { token_ttl: 3600, token_max_ttl: 4 * 3600, secret_id_num_uses: 0, secret_id_ttl: 0 };
/** Vault keeps them whatever is asked. */
const BUILT_IN = new Set(["default", "root"]);

const administer = vaultAdmin({ url: VAULT, token: VAULT_TOKEN, fetch: network, now: Date.now });

/** One call as `METHOD path`, below `/v1/`, with `VAULT_TOKEN`; what is not there is undefined, and what is not done throws. */
export async function vault(line: string, json?: unknown): Promise<any> {
  const [method = "", path = ""] = line.split(" ");
  const { status, text } = await administer(newCall(), { method: method as "GET", path: `/${path}`, json, accepts: [200, 204, 404] });
  return status === 404 ? undefined : jsonOf(text);
}

/** Mounts what the platform needs where it looks for it, unless it is there. */
export async function mountAll(): Promise<void> {
  const mounts = await vault("GET sys/mounts");
  if (!mounts["secret/"]) await vault("POST sys/mounts/secret", { type: "kv", options: { version: "2" } });
  const methods = await vault("GET sys/auth");
  if (!methods["approle/"]) await vault("POST sys/auth/approle", { type: "approle" });
}

/** The Vault, which is for tests alone: whatever an earlier one left is taken away, for its names are the platform's own. */
export async function emptyVault({ policies, approles }: SecretsToProvide = { policies: {}, approles: {} }): Promise<System> {
  await mountAll();
  await empty();
  for (const [name, policy] of Object.entries(policies)) await vault(`PUT sys/policies/acl/${name}`, { policy });
  for (const [name, { policies: names, roleId, secretId }] of Object.entries(approles)) {
    await vault(`POST auth/approle/role/${name}`, { ...TOKEN_TTL, token_policies: names });
    await vault(`POST auth/approle/role/${name}/role-id`, { role_id: roleId });
    await vault(`POST auth/approle/role/${name}/custom-secret-id`, { secret_id: secretId });
  }
  return { url: VAULT, fetch: network, close: empty };
}

async function empty(): Promise<void> {
  const list = async (path: string): Promise<string[]> => (await vault(`GET ${path}?list=true`))?.data?.keys ?? [];
  for (const role of await list("auth/approle/role")) await vault(`DELETE auth/approle/role/${role}`);
  for (const policy of await list("sys/policies/acl")) if (!BUILT_IN.has(policy)) await vault(`DELETE sys/policies/acl/${policy}`);
  const removeBelow = async (path: string): Promise<void> => {
    for (const key of await list(`secret/metadata${path}`)) {
      if (key.endsWith("/")) await removeBelow(`${path}/${key.slice(0, -1)}`);
      else await vault(`DELETE secret/metadata${path}/${key}`);
    }
  };
  await removeBelow("");
}
