import type { Fetch } from "../../src/http/fetch.ts";

export type Person = { id: string; username: string; email?: string; enabled: boolean };

type NewPerson = { username: string; password: string; email: string };

type Client = "auth-service" | "user-service" | "admin-service";

type Needs = {
  fetch: Fetch;
  /** Of the Admin REST: `{url}/admin/realms/{realm}`. */
  base: string;
  token: (client: Client) => Promise<string>;
};

/** What an operator sees and does at the identity provider, past all that is under test. */
export function operator({ fetch, base, token }: Needs) {
  /** One call of the Admin REST as `METHOD path`. */
  async function ask(line: string, { as = "admin-service", json }: { as?: Client; json?: unknown } = {}) {
    const [method = "", path = ""] = line.split(/ (.*)/s);
    const headers = { authorization: `Bearer ${await token(as)}`, "content-type": "application/json" };
    const response = await fetch(new Request(base + path, { method, headers, ...(json !== undefined && { body: JSON.stringify(json) }) }));
    const text = await response.text();
    if (!response.ok) throw new Error(`Cannot ${line}: ${response.status} ${text}`);
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  }

  const search = async (query: Record<string, string>) => (await ask(`GET /users?${new URLSearchParams({ max: "-1", ...query })}`)) as Person[];

  async function named(username: string): Promise<Person> {
    const [found] = await search({ username, exact: "true" });
    if (!found) throw new Error(`Cannot find the identity "${username}"`);
    return found;
  }

  return {
    ask,
    named,
    /** Whoever is not the service account of a client. */
    people: (query: Record<string, string> = {}) => search(query).then((found) => found.filter(({ username }) => !username.startsWith("service-account-"))),
    /** Who has this e-mail; nobody else can have it. */
    withEmail: (email: string) => search({ email, exact: "true" }),

    async add({ username, password, email }: NewPerson): Promise<void> {
      const credentials = [{ type: "password", value: password }];
      await ask("POST /users", { json: { username, email, firstName: "Tech", lastName: "Account", enabled: true, credentials } });
    },

    async setEnabled(username: string, enabled: boolean): Promise<void> {
      await ask(`PUT /users/${(await named(username)).id}`, { json: { enabled } });
    },

    /** Answers the identity's id. */
    async giveRoles(username: string, ...names: string[]): Promise<string> {
      const { id } = await named(username);
      const json = await Promise.all(names.map((name) => ask(`GET /roles/${name}`)));
      await ask(`POST /users/${id}/role-mappings/realm`, { json });
      return id;
    },

    sessionsOf: async (id: string) => ((await ask(`GET /users/${id}/sessions`)) as unknown[]).length,
  };
}
