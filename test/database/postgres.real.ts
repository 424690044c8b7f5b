import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migratePostgres } from "../../workers/migrations.ts";
import { openPostgres } from "../../workers/postgres.ts";
import { type TestDatabase, testDatabaseOn } from "../database.ts";
import { first, second, writeMigrations } from "./folder.ts";
import { network } from "./network.ts";
import { databaseSuite } from "./suite.ts";

const url = process.env["TEST_DATABASE_URL"] ?? "";
const open = (timeout = 1000) => openPostgres(url, { timeout, log: () => {} });

describe("an ordinary Postgres at TEST_DATABASE_URL", () => {
  // As long as the embedded one may take: how fast this machine is, is not what is under test.
  databaseSuite("an ordinary Postgres", () => open(5000));

  describe("its connections", () => {
    let database: TestDatabase;
    let other: Client;

    beforeAll(async () => {
      database = testDatabaseOn(await open());
      other = new Client({ connectionString: url });
      await other.connect();
      await database.query("CREATE TABLE IF NOT EXISTS kept (id int PRIMARY KEY)");
    });
    afterAll(async () => {
      await database.query("DROP TABLE kept");
      await other.end();
      await database.close();
    });

    async function post(queries: string[], signal?: AbortSignal): Promise<Response> {
      const body = JSON.stringify({ queries: queries.map((query) => ({ query, params: [] })) });
      const init = { method: "POST", headers: { "neon-connection-string": database.url }, body, ...(signal && { signal }) };
      return database.fetch(new Request(database.endpoint, init));
    }
    /** What a server's restart is to us: every connection ends, whatever it was doing. */
    const endAll = () =>
      other.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database() AND application_name = 'gatehouse'`);
    const unfinished = async () => {
      const { rows } = await other.query(`SELECT state FROM pg_stat_activity WHERE application_name = 'gatehouse' AND state <> 'idle'`);
      return rows;
    };

    test("end a statement that takes longer than it may", async () => {
      expect((await post(["INSERT INTO kept VALUES (1)", "SELECT pg_sleep(30)"])).status).toBe(503);
      await expect.poll(unfinished).toEqual([]);
      expect(await database.query("SELECT * FROM kept")).toEqual([]);
    });

    test("roll back the batch whose caller has gone away", async () => {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 100);
      expect((await post(["INSERT INTO kept VALUES (1)", "SELECT pg_sleep(0.3)", "SELECT 1"], abort.signal)).status).toBe(503);
      await expect.poll(unfinished).toEqual([]);
      expect(await database.query("SELECT * FROM kept")).toEqual([]);
    });

    test("lost in the middle of a batch: 503 that says so, nothing kept, the next request is served", async () => {
      const lost = post(["INSERT INTO kept VALUES (1)", "SELECT pg_sleep(0.8)"]);
      await pause(200);
      await endAll();
      const response = await lost;
      expect([response.status, await response.json()]).toEqual([503, { message: "The database is not available" }]);
      expect(await database.query("SELECT * FROM kept")).toEqual([]);
    });

    test("lost again and again under load: each answer is 200 or 503, what was answered 200 is there, and the process lives", async () => {
      let next = 0;
      const end = new AbortController();
      const stored: number[] = [];
      const statuses = new Set<number>();
      const workers = Array.from({ length: 16 }, async () => {
        while (!end.signal.aborted) {
          const id = next++;
          const { status } = await post([`INSERT INTO kept VALUES (${id})`, "SELECT 1"]);
          statuses.add(status);
          if (status === 200) stored.push(id);
        }
      });
      for (let round = 0; round < 5; round++) {
        await pause(200);
        await endAll();
      }
      await pause(300);
      end.abort();
      await Promise.all(workers);
      expect([...statuses].toSorted()).toEqual([200, 503]);
      const kept = new Set((await database.query("SELECT id FROM kept")).map(({ id }) => Number(id)));
      expect(stored.filter((id) => !kept.has(id))).toEqual([]);
      expect((await post(["SELECT 1"])).status).toBe(200);
    });

    test("that the network has swallowed: given up, and used by nobody again", async () => {
      const { hostname, port: ownPort } = new URL(url);
      const { port, swallow, close } = await network({ host: hostname, port: Number(ownPort || 5432) });
      const through = new URL(url);
      through.host = `127.0.0.1:${port}`;
      const far = testDatabaseOn(await openPostgres(through.href, { timeout: 500, log: () => {} }));
      expect(await far.query("SELECT 1 AS one")).toEqual([{ one: "1" }]);
      swallow();
      await expect(far.query("SELECT 1 AS one")).rejects.toThrow("Query read timeout");
      const began = performance.now();
      expect(await far.query("SELECT 1 AS one")).toEqual([{ one: "1" }]);
      expect(performance.now() - began).toBeLessThan(1000);
      await far.close();
      close();
    });

    test("that are all taken: the next caller waits no longer than a statement may take", async () => {
      const began = performance.now();
      const all = await Promise.all(Array.from({ length: 40 }, () => post(["SELECT pg_sleep(0.9)"])));
      expect(performance.now() - began).toBeLessThan(4000);
      expect(all.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(16);
      expect((await post(["SELECT 1"])).status).toBe(200);
    });
  });

  describe("migrations", () => {
    let folder: string;
    const admin = new Client({ connectionString: url });
    /** drizzle applies what was made after the last one that it has applied; later than any real one, and taken away again. */
    const when = Date.UTC(2200);
    const steps = async () => (await admin.query("SELECT step FROM steps")).rows;
    const forget = () => admin.query(`DELETE FROM drizzle.__drizzle_migrations WHERE created_at >= ${when}; DROP TABLE IF EXISTS steps`);

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
      await admin.connect();
      await migratePostgres(url);
      await forget();
    });
    afterAll(async () => {
      await forget();
      await admin.end();
      rmSync(folder, { recursive: true });
    });

    test("are applied once by ten processes that start together, and nothing of one that fails", { timeout: 60_000 }, async () => {
      writeMigrations(folder, [`SELECT pg_sleep(0.2);\n--> statement-breakpoint\n${first}`, second], when);
      await Promise.all(Array.from({ length: 10 }, () => migratePostgres(url, folder)));
      expect(await steps()).toEqual([{ step: "first" }, { step: "second" }]);
      writeMigrations(folder, [first, second, `${second}\n--> statement-breakpoint\nSELECT 1 / 0;`], when);
      await expect(migratePostgres(url, folder)).rejects.toThrow(/^Cannot migrate the database at "[^"@]+": division by zero$/);
      expect(await steps()).toHaveLength(2);
      await migratePostgres(url);
    });
  });
});

test("a Postgres that is not there is one sentence", async () => {
  const nowhere = "postgres://user:secret@127.0.0.1:1/none";
  await expect(openPostgres(nowhere, { timeout: 1000, log: () => {} })).rejects.toThrow(
    'Cannot migrate the database at "127.0.0.1:1": connect ECONNREFUSED 127.0.0.1:1',
  );
});
