import type { SecretsToProvide } from "../../src/secrets/embedded/provision.ts";
import { type System, network } from "./system.ts";

type Ask = (line: string, body?: unknown) => Promise<any>;

const TOKEN_TTL = { token_ttl: 3600, token_max_ttl: 4 * 3600, secret_id_num_uses: 0, secret_id_ttl: 0 };
/** Vault keeps them whatever is asked. */
const BUILT_IN = new Set(["default", "root"]);

/** The Vault at `url`, which is for tests alone: whatever an earlier one left is taken away, for its names are the platform's own. */
export async function emptyVault(url: string, { policies, approles }: SecretsToProvide = { policies: {}, approles: {} }): Promise<System> {
  const ask = asker(url);
  const mounts = await ask("GET sys/mounts");
  if (!mounts["secret/"]) await ask("POST sys/mounts/secret", { type: "kv", options: { version: "2" } });
  const methods = await ask("GET sys/auth");
  if (!methods["approle/"]) await ask("POST sys/auth/approle", { type: "approle" });
  await empty(ask);
  for (const [name, policy] of Object.entries(policies)) await ask(`PUT sys/policies/acl/${name}`, { policy });
  for (const [name, { policies: names, roleId, secretId }] of Object.entries(approles)) {
    await ask(`POST auth/approle/role/${name}`, { ...TOKEN_TTL, token_policies: names });
    await ask(`POST auth/approle/role/${name}/role-id`, { role_id: roleId });
    await ask(`POST auth/approle/role/${name}/custom-secret-id`, { secret_id: secretId });
  }
  return { url, fetch: network, close: () => empty(ask) };
}

async function empty(ask: Ask): Promise<void> {
  const list = async (path: string): Promise<string[]> => (await ask(`LIST ${path}`))?.data?.keys ?? [];
  for (const role of await list("auth/approle/role")) await ask(`DELETE auth/approle/role/${role}`);
  for (const policy of await list("sys/policies/acl")) if (!BUILT_IN.has(policy)) await ask(`DELETE sys/policies/acl/${policy}`);
  const removeBelow = async (path: string): Promise<void> => {
    for (const key of await list(`secret/metadata${path}`)) {
      if (key.endsWith("/")) await removeBelow(`${path}/${key.slice(0, -1)}`);
      else await ask(`DELETE secret/metadata${path}/${key}`);
    }
  };
  await removeBelow("");
}

/** Calls as `METHOD path` with the token that VAULT_TOKEN has; what is not there is undefined. */
function asker(url: string): Ask {
  return async (line, body) => {
    const [method = "", path = ""] = line.split(" ");
    const headers = { "x-vault-token": process.env["VAULT_TOKEN"] ?? "" };
    const response = await fetch(`${url}/v1/${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`Cannot ${line} at the secrets store: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
}
