import type { Fetch } from "../../../src/http/fetch.ts";

/** A server with Vault's wire, AppRole mounted at `auth/approle` and KV version 2 at `secret`. */
export type SecretsUnderTest = {
  fetch: Fetch;
  baseUrl: string;
  /** Of a token that may do everything. */
  token: string;
};

export type Answer = { status: number; headers: Headers; text: string; body: any };

export type Wire = SecretsUnderTest & ReturnType<typeof wire>;

type Sent = { as?: string | null; body?: unknown; headers?: Record<string, string> };

export const MERGE_PATCH = { "content-type": "application/merge-patch+json" };

/** Ways to speak to the server: `METHOD path`, the path below `/v1/`; a body that is a text is sent as it is. */
export function wire(under: SecretsUnderTest) {
  const { fetch, baseUrl, token } = under;

  async function call(line: string, { as = token, body, headers = {} }: Sent = {}): Promise<Answer> {
    const [method = "", path = ""] = line.split(/ (.*)/s);
    const request = new Request(`${baseUrl}/v1/${path}`, {
      method,
      redirect: "manual",
      headers: { ...(as !== null && { "x-vault-token": as }), ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const response = await fetch(request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  async function must(line: string, sent: Sent = {}): Promise<any> {
    const answer = await call(line, sent);
    if (answer.status >= 300) throw new Error(`Cannot ${line}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  async function newRole(settings: Record<string, unknown> = {}): Promise<Role> {
    const name = fresh("role");
    await must(`POST auth/approle/role/${name}`, { body: { token_policies: ["none"], ...settings } });
    return { name, roleId: (await must(`GET auth/approle/role/${name}/role-id`)).data.role_id };
  }

  async function newSecretId(role: Role, body: Record<string, unknown> = {}): Promise<{ secretId: string; accessor: string }> {
    const { data } = await must(`POST auth/approle/role/${role.name}/secret-id`, { body });
    return { secretId: data.secret_id, accessor: data.secret_id_accessor };
  }

  function login(role: Role, secretId: string): Promise<Answer> {
    return call("POST auth/approle/login", { as: null, body: { role_id: role.roleId, secret_id: secretId } });
  }

  /** A token with these policies, each given as HCL, and the built-in one. */
  async function tokenWith(hcl: string | string[], settings: Record<string, unknown> = {}): Promise<string> {
    const names: string[] = [];
    for (const policy of [hcl].flat()) {
      const name = fresh("policy");
      await must(`PUT sys/policies/acl/${name}`, { body: { policy } });
      names.push(name);
    }
    const role = await newRole({ token_policies: names, ...settings });
    const answer = await login(role, (await newSecretId(role)).secretId);
    return answer.body.auth.client_token;
  }

  return { ...under, call, must, newRole, newSecretId, login, tokenWith };
}

export type Role = { name: string; roleId: string };

/** A name that no earlier run has used. */
export function fresh(prefix: string): string {
  return `${prefix}-${crypto.randomUUID().slice(0, 13)}`;
}

/** HCL that allows `capabilities` on `path`. */
export function allow(path: string, ...capabilities: string[]): string {
  return `path "${path}" { capabilities = [${capabilities.map((name) => `"${name}"`).join(", ")}] }\n`;
}

/** The marks by which a client tells a token that is not good from a right that is missing. */
export const TOKEN_REFUSED = /^(permission denied|2 errors occurred:\n\t\* permission denied\n\t\* invalid token\n\n)$/;
export const RIGHT_MISSING = "1 error occurred:\n\t* permission denied\n\n";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
