import { sql } from "drizzle-orm";
import { integer, jsonb, pgSchema, text, timestamp } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Postgres } from "../../workers/pglite.ts";
import { type TestDatabase, testDatabaseOn } from "../database.ts";

const schema = pgSchema("suite");
const things = schema.table("things", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  name: text().notNull().unique(),
  count: integer().notNull().default(0),
  data: jsonb(),
  tags: text().array(),
  at: timestamp({ withTimezone: true }),
});

type Statement = { query: string; params?: (string | null)[] };

function insert(thing: string) {
  return { query: "INSERT INTO suite.things (name) VALUES ($1)", params: [thing] };
}

/** Moves one from a row to another; what it reads in between is wrong for everybody else. */
function move(from: number, to: number): Statement[] {
  return [
    { query: "UPDATE suite.things SET count = count - 1 WHERE name = $1", params: [`a${from}`] },
    { query: "SELECT sum(count) FROM suite.things" },
    { query: "UPDATE suite.things SET count = count + 1 WHERE name = $1", params: [`a${to}`] },
  ];
}

/** What every database behind `POST /sql` promises. */
export function databaseSuite(name: string, open: () => Promise<Postgres>): void {
  describe(name, () => {
    let backend: Postgres;
    let database: TestDatabase;

    beforeAll(async () => {
      backend = await open();
      database = testDatabaseOn(backend);
      await database.query("DROP SCHEMA IF EXISTS suite CASCADE");
      await database.query("CREATE SCHEMA suite");
      await database.query(`CREATE TABLE suite.things (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL CONSTRAINT things_name_taken UNIQUE,
        count int NOT NULL DEFAULT 0 CHECK (count < 1000), data jsonb, tags text[], at timestamptz)`);
    });
    beforeEach(() => database.reset());
    afterAll(async () => {
      await database.query("DROP SCHEMA suite CASCADE");
      await database.close();
    });

    async function post(body: unknown, headers: Record<string, string> = {}) {
      const sent = { "neon-connection-string": database.url, ...headers };
      const request = new Request(database.endpoint, { method: "POST", headers: sent, body: typeof body === "string" ? body : JSON.stringify(body) });
      const response = await database.fetch(request);
      return { status: response.status, body: JSON.parse(await response.text()) };
    }
    const one = (query: string, ...params: (string | null)[]) => post({ query, params });
    const batch = (queries: Statement[], headers: Record<string, string> = {}) =>
      post({ queries: queries.map(({ query, params = [] }) => ({ query, params })) }, headers);
    const names = async () => (await database.query("SELECT name FROM suite.things ORDER BY name")).map((row) => row["name"]);

    describe("POST /sql", () => {
      test.each([
        ["2147483647::int", "2147483647", 23],
        ["9223372036854775807::bigint", "9223372036854775807", 20],
        ["0.1::numeric", "0.1", 1700],
        ["true", "t", 16],
        ["'2026-01-02 03:04:05.678901+00'::timestamptz AT TIME ZONE 'UTC'", "2026-01-02 03:04:05.678901", 1114],
        [`'{"b": 1, "a": [true, null]}'::jsonb`, `{"a": [true, null], "b": 1}`, 3802],
        [`'{"b":1}'::json`, `{"b":1}`, 114],
        ["ARRAY[1, NULL, 3]", "{1,NULL,3}", 1007],
        [`ARRAY['a', 'b,c', 'd"e']`, `{a,"b,c","d\\"e"}`, 1009],
        ["'\\x00ff'::bytea", "\\x00ff", 17],
        ["'Grüße ☃ 🎉'", "Grüße ☃ 🎉", 25],
        ["''", "", 25],
        ["NULL::int", null, 23],
      ])("answers %s as text", async (expression, value, type) => {
        const { status, body } = await one(`SELECT ${expression} AS value`);
        expect(status).toBe(200);
        expect(body).toMatchObject({ rows: [[value]], rowCount: 1, command: "SELECT", rowAsArray: true });
        expect(body.fields).toMatchObject([{ name: "value", dataTypeID: type, format: "text" }]);
      });

      test("answers an instant with its offset", async () => {
        const { body } = await one("SELECT '2026-01-02 03:04:05.678+02'::timestamptz");
        expect(new Date(body.rows[0][0]).toISOString()).toBe("2026-01-02T01:04:05.678Z");
      });

      test.each([
        ["$1::int", "42", "42"],
        ["$1::bigint", "9223372036854775807", "9223372036854775807"],
        ["$1::text", null, null],
        ["$1", "1; DROP TABLE suite.things", "1; DROP TABLE suite.things"],
        ["$1::jsonb->>'a'", `{"a":"b"}`, "b"],
        ["$1::text[]", `{a,"b,c"}`, `{a,"b,c"}`],
        ["$1::bytea", "\\x00ff", "\\x00ff"],
        ["$1::boolean", "true", "t"],
        ["length($1)", "☃🎉", "2"],
      ])("takes a parameter of %s as text", async (expression, given, value) => {
        expect(await one(`SELECT ${expression}`, given)).toMatchObject({ status: 200, body: { rows: [[value]] } });
      });

      test("tells command and number of rows", async () => {
        expect((await one("INSERT INTO suite.things (name) VALUES ('a'), ('b')")).body).toMatchObject({ command: "INSERT", rowCount: 2, rows: [] });
        expect((await one("UPDATE suite.things SET count = 1 WHERE name = 'a' RETURNING name")).body).toMatchObject({
          command: "UPDATE",
          rowCount: 1,
          rows: [["a"]],
        });
        expect((await one("DELETE FROM suite.things WHERE name = 'nobody'")).body).toMatchObject({ command: "DELETE", rowCount: 0 });
        expect((await one("CREATE TABLE suite.other ()")).body).toMatchObject({ command: "CREATE", rowCount: null });
        expect((await one("DROP TABLE suite.other")).status).toBe(200);
      });

      test.each([
        ["a syntax error", "SELEC", [], "42601"],
        ["a table that is not there", "SELECT * FROM suite.nothing", [], "42P01"],
        ["NUL in text", "SELECT $1", ["a\0b"], "22021"],
        ["a number that is too large", "SELECT $1::int", ["2147483648"], "22003"],
        ["text that is no number", "SELECT $1::int", ["one"], "22P02"],
        ["a parameter too few", "SELECT $1, $2", ["1"], "08P01"],
        ["two statements in one", "SELECT 1; SELECT 2", [], "42601"],
        ["a failed check", "INSERT INTO suite.things (name, count) VALUES ('a', 1000)", [], "23514"],
        ["a missing value", "INSERT INTO suite.things (name) VALUES (NULL)", [], "23502"],
        ["a division by zero", "SELECT 1 / 0", [], "22012"],
      ])("refuses %s as Postgres does, and goes on", async (_, query, params, code) => {
        const { status, body } = await one(query, ...params);
        expect([status, body.code, body.severity]).toEqual([400, code, "ERROR"]);
        expect(body.message).toMatch(/\w/);
        expect((await one("SELECT 1")).body.rows).toEqual([["1"]]);
      });

      test("names the constraint that a statement violates", async () => {
        await batch([insert("a")]);
        const { status, body } = await one("INSERT INTO suite.things (name) VALUES ($1)", "a");
        expect(status).toBe(400);
        expect(body).toMatchObject({ code: "23505", constraint: "things_name_taken", table: "things", schema: "suite", detail: "Key (name)=(a) already exists." });
      });

      test("runs a batch in one transaction", async () => {
        const { status, body } = await batch([insert("a"), { query: "SELECT name FROM suite.things" }, insert("b")]);
        expect(status).toBe(200);
        expect(body.results).toMatchObject([{ command: "INSERT", rowCount: 1 }, { rows: [["a"]] }, { command: "INSERT" }]);
        expect(await names()).toEqual(["a", "b"]);
      });

      test("keeps nothing of a batch that fails", async () => {
        const { status, body } = await batch([insert("a"), insert("b"), insert("a"), insert("c")]);
        expect([status, body.code]).toEqual([400, "23505"]);
        expect(await names()).toEqual([]);
      });

      test("keeps nothing of a batch that fails when it is committed", async () => {
        await database.query("CREATE TABLE suite.late (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        const late = { query: "INSERT INTO suite.late VALUES (1)" };
        expect((await batch([insert("a"), late, late])).body.code).toBe("23505");
        expect(await names()).toEqual([]);
        await database.query("DROP TABLE suite.late");
        expect((await batch([insert("a")])).status).toBe(200);
      });

      test("runs an empty batch", async () => {
        expect(await batch([])).toEqual({ status: 200, body: { results: [] } });
      });

      test("begins a batch as its headers say", async () => {
        const show = { query: "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only'), current_setting('transaction_deferrable')" };
        const settings = async (headers: Record<string, string>) => (await batch([show], headers)).body.results[0].rows[0];
        expect(await settings({})).toEqual(["read committed", "off", "off"]);
        const strict = { "neon-batch-isolation-level": "Serializable", "neon-batch-read-only": "true", "neon-batch-deferrable": "true" };
        expect(await settings(strict)).toEqual(["serializable", "on", "on"]);
        expect(await settings({ "neon-batch-isolation-level": "RepeatableRead", "neon-batch-read-only": "false" })).toEqual(["repeatable read", "off", "off"]);
        expect((await batch([insert("a")], { "neon-batch-read-only": "true" })).body.code).toBe("25006");
      });

      test.each(["BEGIN", "/* by itself */ START TRANSACTION", "COMMIT", "ROLLBACK"])("refuses %s, which would leave the next request in a transaction", async (query) => {
        expect((await one(query)).status).toBe(400);
        await Promise.all(Array.from({ length: 20 }, (_, index) => one("INSERT INTO suite.things (name) VALUES ($1)", `a${index}`)));
        expect(await names()).toHaveLength(20);
        const [state] = await database.query("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND datname = current_database()");
        expect(state?.["count"]).toBe("0");
      });

      test("refuses the end of the transaction inside a batch", async () => {
        expect((await batch([insert("a"), { query: "ROLLBACK" }, insert("b")])).status).toBe(400);
        expect(await names()).toEqual([]);
      });

      test("lets nobody into a batch, nor see what it has not committed", async () => {
        await batch(Array.from({ length: 8 }, (_, index) => insert(`a${index}`)));
        const sums = await Promise.all(
          Array.from({ length: 64 }, async (_, index) => {
            // Rows are always taken in one order, or Postgres would have to end one of two that wait for each other.
            const moved = await batch(move(index % 7, (index % 7) + 1), { "neon-batch-isolation-level": "ReadCommitted" });
            const sum = await one("SELECT sum(count) FROM suite.things");
            return [moved.status, sum.body.rows[0][0]];
          }),
        );
        expect(sums).toEqual(sums.map(() => [200, "0"]));
      });

      test("takes nobody else's statement along when a batch fails", async () => {
        // Past the endpoint: reading a body spreads the requests over turns of the event loop, and they hardly meet.
        const outcomes = await Promise.all(
          Array.from({ length: 40 }, (_, index) => {
            if (index % 2 === 0) return backend.run({ statements: [insert(`kept${index}`)] }).then(() => "kept");
            const statements = [insert(`lost${index}`), { query: "SELECT 1 / 0", params: [] }];
            return backend.run({ statements, begin: "BEGIN" }).catch((error: { code: string }) => error.code);
          }),
        );
        expect(outcomes).toEqual(outcomes.map((_, index) => (index % 2 === 0 ? "kept" : "22012")));
        const kept = await names();
        expect([kept.length, kept.filter((name) => name?.startsWith("lost"))]).toEqual([20, []]);
      });

      test("serves 16 callers at once and loses no count", async () => {
        await batch([insert("a")]);
        const add = "UPDATE suite.things SET count = count + 1 WHERE name = 'a'";
        const statuses = await Promise.all(
          Array.from({ length: 16 }, async () => {
            const own: number[] = [];
            for (let turn = 0; turn < 10; turn++) own.push((await (turn % 2 ? one(add) : batch([{ query: add }]))).status);
            return own;
          }),
        );
        expect(new Set(statuses.flat())).toEqual(new Set([200]));
        expect(await database.query("SELECT count FROM suite.things")).toEqual([{ count: "160" }]);
      });

      test("keeps all or nothing of a batch that its caller gives up", async () => {
        const abort = new AbortController();
        const body = JSON.stringify({ queries: [insert("a"), { query: "SELECT pg_sleep(0.2)", params: [] }, insert("b")] });
        const sent = () => {
          const init = { method: "POST", headers: { "neon-connection-string": database.url }, body, signal: abort.signal };
          return database.fetch(new Request(database.endpoint, init));
        };
        setTimeout(() => abort.abort(), 50);
        const { status } = await sent();
        expect(await names()).toEqual(status === 200 ? ["a", "b"] : []);
        await database.reset();
        expect((await sent()).status).toBe(503);
        expect(await names()).toEqual([]);
      });

      test.each([
        ["no body", ""],
        ["no JSON", "{"],
        ["null", "null"],
        ["a list", "[]"],
        ["no parameters", `{"query":"SELECT 1"}`],
        ["a number as parameter", `{"query":"SELECT $1","params":[1]}`],
        ["an object as query", `{"query":{},"params":[]}`],
        ["queries that are none", `{"queries":"SELECT 1"}`],
        ["one query of several that is none", `{"queries":[{"query":"SELECT 1","params":[]},{}]}`],
        ["a NUL in the query", JSON.stringify({ query: "SELECT 1\0; DROP TABLE suite.things", params: [] })],
        ["more parameters than the protocol can count", JSON.stringify({ query: "SELECT 1", params: Array(65_536).fill(null) })],
      ])("refuses a body with %s", async (_, body) => {
        expect(await post(body)).toEqual({ status: 400, body: { message: "The request is not SQL over HTTP" } });
        expect((await one("SELECT 1")).status).toBe(200);
      });

      test("refuses an isolation level that it does not know", async () => {
        const { status } = await batch([insert("a")], { "neon-batch-isolation-level": "Snapshot; DROP TABLE suite.things" });
        expect([status, await names()]).toEqual([400, []]);
      });

      test.each([
        ["another password", "postgres://gatehouse:guessed@localhost/gatehouse"],
        ["no password", "postgres://gatehouse@localhost/gatehouse"],
        ["another user", "postgres://postgres:of-the-tests@localhost/gatehouse"],
        ["another database", "postgres://gatehouse:of-the-tests@localhost/postgres"],
        ["no URL", "of-the-tests"],
        ["nothing", ""],
      ])("refuses %s without saying what was expected", async (_, connectionString) => {
        const { status, body } = await post({ query: "INSERT INTO suite.things (name) VALUES ('a')", params: [] }, { "neon-connection-string": connectionString });
        expect({ status, body }).toEqual({ status: 401, body: { message: "The connection string is not valid" } });
        expect(await names()).toEqual([]);
      });
    });

    describe("through drizzle", () => {
      test("maps values both ways", async () => {
        const at = new Date("2026-01-02T03:04:05.678Z");
        const thing = { name: "a", data: { nested: [1, "two", null] }, tags: ["x", "y,z"], at };
        const [inserted] = await database.db.insert(things).values(thing).returning();
        expect(inserted).toEqual({ id: 1, count: 0, ...thing });
        expect(await database.db.select().from(things)).toEqual([inserted]);
      });

      test("runs prepared statements", async () => {
        const find = database.db.select({ id: things.id }).from(things).where(sql`${things.name} = ${sql.placeholder("name")}`).prepare("find");
        await database.db.insert(things).values([{ name: "a" }, { name: "b" }]);
        expect(await Promise.all([find.execute({ name: "b" }), find.execute({ name: "c" })])).toEqual([[{ id: 2 }], []]);
      });

      test("keeps nothing of a batch that fails, and tells code and constraint", async () => {
        const { db } = database;
        const failed = await db.batch([db.insert(things).values({ name: "a" }), db.insert(things).values({ name: "a" })]).catch((error: unknown) => error);
        expect(failed).toMatchObject({ code: "23505", constraint: "things_name_taken" });
        expect(await names()).toEqual([]);
        const [rows] = await db.batch([db.insert(things).values({ name: "a" }).returning({ name: things.name }), db.select().from(things)]);
        expect(rows).toEqual([{ name: "a" }]);
      });

      test("tells code and constraint of a statement in the cause", async () => {
        await database.db.insert(things).values({ name: "a" });
        await expect(database.db.insert(things).values({ name: "a" })).rejects.toMatchObject({ cause: { code: "23505", constraint: "things_name_taken" } });
      });
    });
  });
}
