import type { Fetch } from "../../../src/http/fetch.ts";

export type Credentials = { id: string; secret: string };

/** An identity provider with the platform's realm, and what the suite has to know of it. */
export type IdentityUnderTest = {
  fetch: Fetch;
  /** Where it answers, and what its tokens' issuer begins with. */
  baseUrl: string;
  realm: string;
  authService: Credentials;
  userService: Credentials;
  adminService: Credentials;
  administrator: { username: string; password: string };
};

export type Answer = { status: number; headers: Headers; text: string; body: any };

export type Wire = IdentityUnderTest & ReturnType<typeof wire>;

/** Ways to speak to the provider: forms to the OpenID endpoints, JSON to the Admin REST. */
export function wire(under: IdentityUnderTest) {
  const { fetch, baseUrl, realm } = under;
  const issuer = `${baseUrl}/realms/${realm}`;
  const protocol = `${issuer}/protocol/openid-connect`;

  async function send(url: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(new Request(url, { redirect: "manual", ...init }));
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  function form(path: string, parameters: Record<string, string> | string, headers: Record<string, string> = {}): Promise<Answer> {
    const body = typeof parameters === "string" ? parameters : new URLSearchParams(parameters).toString();
    return send(`${protocol}/${path}`, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded", ...headers }, body });
  }

  function token(client: Credentials, parameters: Record<string, string>): Promise<Answer> {
    return form("token", { client_id: client.id, client_secret: client.secret, ...parameters });
  }

  function login(user: { username: string; password: string }, more: Record<string, string> = {}): Promise<Answer> {
    return token(under.authService, { grant_type: "password", username: user.username, password: user.password, ...more });
  }

  async function serviceToken(client: Credentials): Promise<string> {
    const answer = await token(client, { grant_type: "client_credentials" });
    if (answer.status !== 200) throw new Error(`Cannot get a token for "${client.id}": ${answer.text}`);
    return answer.body.access_token;
  }

  /** One call of the Admin REST as `method path`; a string is sent as it is. */
  function admin(call: string, { as, body, headers }: { as?: string; body?: unknown; headers?: Record<string, string> } = {}): Promise<Answer> {
    const [method = "", path = ""] = call.split(/ (.*)/s);
    return send(`${baseUrl}/admin/realms/${realm}${path}`, {
      method,
      headers: {
        ...(as !== undefined && { authorization: `Bearer ${as}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  return { ...under, issuer, protocol, send, form, token, login, serviceToken, admin };
}

/** The id that Keycloak gives only as the last segment of `Location`. */
export function idOf(answer: Answer): string {
  const id = new URL(answer.headers.get("location") ?? "about:blank").pathname.split("/").at(-1);
  if (answer.status !== 201 || !id) throw new Error(`Cannot read the id of what was made: ${answer.status} ${answer.text}`);
  return id;
}

/** A name that no earlier run has used. */
export function fresh(prefix: string): string {
  return `${prefix}${crypto.randomUUID().slice(0, 13).replace("-", "")}`;
}

export function claimsOf(token: string): any {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

export function headerOf(token: string): any {
  return JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
}

export const PASSWORD = "Correct-Horse-Battery-1";

export type Person = { id: string; username: string; email: string; password: string };

/** A user who can sign in. */
export async function newPerson(wire: Wire, more: Record<string, unknown> = {}): Promise<Person> {
  const username = fresh("person");
  const person = { username, email: `${username}@example.test`, firstName: "Ada", lastName: "Lovelace", enabled: true, emailVerified: true };
  const as = await wire.serviceToken(wire.userService);
  const made = await wire.admin("POST /users", { as, body: { ...person, credentials: [{ type: "password", value: PASSWORD }], ...more } });
  return { id: idOf(made), username, email: person.email, password: PASSWORD };
}

export type MadeClient = Credentials & { uuid: string };

export async function newClient(wire: Wire, more: Record<string, unknown> = {}): Promise<MadeClient> {
  const id = fresh("client-");
  const secret = "secret-of-the-tests";
  const as = await wire.serviceToken(wire.adminService);
  const made = await wire.admin("POST /clients", { as, body: { clientId: id, secret, standardFlowEnabled: false, ...more } });
  return { id, secret, uuid: idOf(made) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
