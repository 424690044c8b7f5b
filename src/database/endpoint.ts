import { Hono } from "hono";
import { readBounded } from "../http/bounded.ts";
import { jsonOf } from "../http/upstream.ts";
import { isSameSecret } from "../passwords/constant-time.ts";
import { failureOf } from "./failure.ts";
import type { Run } from "./run.ts";
import { beginOf, type Result, statementsIn } from "./wire.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;

export type SqlEndpointNeeds = {
  /** What a caller must send: its user, password and database count, so that an open port is not an open database. */
  connectionString: string;
  run: Run;
};

/** Neon's SQL-over-HTTP, `POST /sql`, in front of whatever `run` speaks to. */
export function sqlEndpoint({ connectionString, run }: SqlEndpointNeeds): Hono {
  const expected = credentialsIn(connectionString);
  if (!expected) throw new Error("Cannot serve SQL: the connection string needs a user, a password and a database");
  const app = new Hono();
  app.post("/sql", async (c) => {
    const given = credentialsIn(c.req.header("neon-connection-string") ?? "");
    if (!(await isSameSecret(given, expected))) return c.json({ message: "The connection string is not valid" }, 401);
    const bytes = await readBounded(c.req.raw.body, MAX_BODY_BYTES);
    if (!bytes) return c.json({ message: `The body has more than ${MAX_BODY_BYTES} bytes` }, 413);
    const statements = statementsIn(jsonOf(new TextDecoder().decode(bytes)));
    const begin = beginOf(c.req.raw.headers);
    if (!statements || !begin) return c.json({ message: "The request is not SQL over HTTP" }, 400);
    try {
      const { signal } = c.req.raw;
      if (Array.isArray(statements)) return c.json({ results: (await run({ statements, begin, signal })).map(asSent) });
      const [result] = await run({ statements: [statements], signal });
      return c.json(asSent(result as Result));
    } catch (error) {
      const { status, details } = failureOf(error);
      return c.json(details, status);
    }
  });
  return app;
}

/** The rows as the driver wants them: arrays of Postgres text. */
function asSent({ fields, ...rest }: Result) {
  return { ...rest, fields: fields.map((field) => ({ ...field, format: "text" })), rowAsArray: true };
}

/** The driver adds parameters to the URL and writes its scheme anew, so only what stays the same is compared. */
function credentialsIn(connectionString: string): string {
  if (!URL.canParse(connectionString)) return "";
  const { username, password, pathname } = new URL(connectionString);
  return username && password && pathname.length > 1 ? `${username}:${password}@${pathname}` : "";
}
