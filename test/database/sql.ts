import type { Postgres } from "../../workers/pglite.ts";
import type { TestDatabase } from "../database.ts";

export type Statement = { query: string; params?: (string | null)[] };

/** What is under test, and past the door how it is looked at. */
export type Opened = { backend: Postgres; database: TestDatabase };

export type Door = ReturnType<typeof doorOf>;

/** `POST /sql` of the database that is open when it is called. */
export function doorOf(opened: () => Opened) {
  async function post(body: unknown, headers: Record<string, string> = {}) {
    const { database } = opened();
    const sent = { "neon-connection-string": database.url, ...headers };
    const request = new Request(database.endpoint, { method: "POST", headers: sent, body: typeof body === "string" ? body : JSON.stringify(body) });
    const response = await database.fetch(request);
    return { status: response.status, body: JSON.parse(await response.text()) };
  }
  const one = (query: string, ...params: (string | null)[]) => post({ query, params });
  const batch = (queries: Statement[], headers: Record<string, string> = {}) =>
    post({ queries: queries.map(({ query, params = [] }) => ({ query, params })) }, headers);
  const names = async () => (await opened().database.query("SELECT name FROM suite.things ORDER BY name")).map((row) => row["name"]);
  return { opened, post, one, batch, names };
}

export function insert(thing: string) {
  return { query: "INSERT INTO suite.things (name) VALUES ($1)", params: [thing] };
}
