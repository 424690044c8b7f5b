import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Postgres } from "../../workers/pglite.ts";
import { type TestDatabase, testDatabaseOn } from "../database.ts";
import { batches } from "./batches.ts";
import { drizzle } from "./drizzle.ts";
import { doorOf } from "./sql.ts";
import { statements } from "./statements.ts";

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

    const door = doorOf(() => ({ backend, database }));
    const { post, one, names } = door;

    describe("POST /sql", () => {
      statements(door);
      batches(door);

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

    describe("through drizzle", () => drizzle(door));
  });
}
