import { jsonOf } from "../../src/http/upstream.ts";
import type { Settings } from "./command.ts";

const VAULT = process.env["VAULT_URL"] ?? "";
const token = process.env["VAULT_TOKEN"] ?? "";

/** What the command is told of the Vault under test. */
export function secretsSettings(): Settings {
  return { SECRETS_URL: VAULT, SECRETS_ADMIN_TOKEN: token };
}

/** One call as `METHOD path`, below `/v1/`. */
export async function vault(line: string, body?: unknown, as = token): Promise<{ status: number; body: any }> {
  const [method = "", path = ""] = line.split(" ");
  const patch = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
  const answer = await fetch(`${VAULT}/v1/${path}`, { method, headers: { "x-vault-token": as, ...patch }, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: jsonOf(await answer.text()) };
}

/** The Vault as a new one is; it is for tests alone, and the platform's mounts and names are what is tested. */
export async function newVault(): Promise<void> {
  for (const line of ["DELETE sys/mounts/secret", "DELETE sys/auth/approle", "DELETE sys/policies/acl/platform-admin", "DELETE sys/policies/acl/platform-config"]) await vault(line);
}

/** Everything that provisioning could change. */
export async function contentOf(): Promise<unknown> {
  const lines = ["GET sys/mounts", "GET sys/auth", "GET sys/policies/acl?list=true", "GET sys/policies/acl/platform-admin", "GET sys/policies/acl/platform-config", "GET auth/approle/role?list=true"];
  const roles = ["admin-service", "config-server"].flatMap((role) => ["", "/role-id", "/secret-id?list=true"].map((rest) => `GET auth/approle/role/${role}${rest}`));
  return Promise.all([...lines, ...roles].map(async (line) => [line, (await vault(line)).body?.data]));
}

export async function login(roleId: string | undefined, secretId: string | undefined): Promise<string> {
  const { body } = await vault("POST auth/approle/login", { role_id: roleId, secret_id: secretId });
  return body?.auth?.client_token ?? "";
}
