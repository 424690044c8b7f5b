import type { Settings } from "../command.ts";
import { network } from "../systems/system.ts";
import { VAULT, vault, VAULT_TOKEN } from "../systems/vault.ts";
import { wire } from "../wire/secrets/wire.ts";

/** The Vault under test as those see it who have another token, or none. */
export const store = wire({ fetch: network, baseUrl: VAULT, token: VAULT_TOKEN });

/** What the command is told of the Vault under test. */
export function secretsSettings(): Settings {
  return { SECRETS_URL: VAULT, SECRETS_ADMIN_TOKEN: VAULT_TOKEN };
}

/** The Vault as a new one is; it is for tests alone, and the platform's mounts and names are what is tested. */
export async function newVault(): Promise<void> {
  for (const line of ["DELETE sys/mounts/secret", "DELETE sys/auth/approle", "DELETE sys/policies/acl/platform-admin", "DELETE sys/policies/acl/platform-config"]) await vault(line);
}

/** Everything that provisioning could change. */
export async function contentOf(): Promise<unknown> {
  const lines = ["GET sys/mounts", "GET sys/auth", "GET sys/policies/acl?list=true", "GET sys/policies/acl/platform-admin", "GET sys/policies/acl/platform-config", "GET auth/approle/role?list=true"];
  const roles = ["admin-service", "config-server"].flatMap((role) => ["", "/role-id", "/secret-id?list=true"].map((rest) => `GET auth/approle/role/${role}${rest}`));
  return Promise.all([...lines, ...roles].map(async (line) => [line, (await vault(line))?.data]));
}

/** The token that these credentials are good for, or none. */
export async function login(roleId: string | undefined, secretId: string | undefined): Promise<string> {
  const { body } = await store.call("POST auth/approle/login", { as: null, body: { role_id: roleId, secret_id: secretId } });
  return body?.auth?.client_token ?? "";
}
