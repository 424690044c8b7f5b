import { expect, test } from "vitest";
import { type Door, insert, type Statement } from "./sql.ts";

/** Moves one from a row to another; what it reads in between is wrong for everybody else. */
function move(from: number, to: number): Statement[] {
  return [
    { query: "UPDATE suite.things SET count = count - 1 WHERE name = $1", params: [`a${from}`] },
    { query: "SELECT sum(count) FROM suite.things" },
    { query: "UPDATE suite.things SET count = count + 1 WHERE name = $1", params: [`a${to}`] },
  ];
}

/** What a batch is: one transaction, alone, whole or not at all. */
export function batches({ opened, one, batch, names }: Door): void {
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
    await opened().database.query("CREATE TABLE suite.late (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    const late = { query: "INSERT INTO suite.late VALUES (1)" };
    expect((await batch([insert("a"), late, late])).body.code).toBe("23505");
    expect(await names()).toEqual([]);
    await opened().database.query("DROP TABLE suite.late");
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
    const [state] = await opened().database.query("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND datname = current_database()");
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
        if (index % 2 === 0) return opened().backend.run({ statements: [insert(`kept${index}`)] }).then(() => "kept");
        const statements = [insert(`lost${index}`), { query: "SELECT 1 / 0", params: [] }];
        return opened().backend.run({ statements, begin: "BEGIN" }).catch((error: { code: string }) => error.code);
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
    expect(await opened().database.query("SELECT count FROM suite.things")).toEqual([{ count: "160" }]);
  });

  test("keeps all or nothing of a batch that its caller gives up", async () => {
    const abort = new AbortController();
    const body = JSON.stringify({ queries: [insert("a"), { query: "SELECT pg_sleep(0.2)", params: [] }, insert("b")] });
    const sent = () => {
      const { database } = opened();
      const init = { method: "POST", headers: { "neon-connection-string": database.url }, body, signal: abort.signal };
      return database.fetch(new Request(database.endpoint, init));
    };
    setTimeout(() => abort.abort(), 50);
    const { status } = await sent();
    expect(await names()).toEqual(status === 200 ? ["a", "b"] : []);
    await opened().database.reset();
    expect((await sent()).status).toBe(503);
    expect(await names()).toEqual([]);
  });

  test("refuses an isolation level that it does not know", async () => {
    const { status } = await batch([insert("a")], { "neon-batch-isolation-level": "Snapshot; DROP TABLE suite.things" });
    expect([status, await names()]).toEqual([400, []]);
  });
}
