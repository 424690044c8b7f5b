import { expect, test } from "vitest";
import { type Door, insert } from "./sql.ts";

/** What a statement is given, answers and is refused for. */
export function statements({ one, batch }: Door): void {
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
}
