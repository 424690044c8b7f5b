import { expect, test } from "vitest";
import { sqlEndpoint } from "../../src/database/endpoint.ts";
import type { Run } from "../../src/database/run.ts";

const url = "postgres://gatehouse:s%40cret%2F@localhost/gatehouse";

function post(run: Run, { connectionString = url, body = JSON.stringify({ query: "SELECT 1", params: [] }) } = {}) {
  const app = sqlEndpoint({ connectionString: url, run });
  return app.request("/sql", { method: "POST", headers: { "neon-connection-string": connectionString }, body });
}

const answers: Run = async () => [{ fields: [], rows: [], rowCount: 0, command: "SELECT" }];

function refuses(fields: { code?: unknown }): Run {
  return () => Promise.reject(Object.assign(new Error("secret of the host"), fields));
}

test("takes the connection string as the driver sends it: another scheme, more parameters", async () => {
  const sent = "postgresql://gatehouse:s%40cret%2F@localhost/gatehouse?sslmode=require&application_name=driver";
  expect((await post(answers, { connectionString: sent })).status).toBe(200);
});

test.each(["postgres://localhost/gatehouse", "postgres://gatehouse@localhost/gatehouse", "postgres://u:p@localhost", "gatehouse", ""])(
  "does not serve with %j, which anyone could guess",
  (connectionString) => {
    expect(() => sqlEndpoint({ connectionString, run: answers })).toThrow("Cannot serve SQL: the connection string needs a user, a password and a database");
  },
);

test.each(["ECONNREFUSED", "08006", "08001", "53300", "57P01", "57P03", "57014", undefined, 7])("answers %s as a database that is away", async (code) => {
  const response = await post(refuses({ code }));
  expect([response.status, await response.json()]).toEqual([503, { message: "The database is not available" }]);
});

test.each(["23505", "40001", "40P01", "08P01", "42P01", "XX000"])("answers %s as what Postgres refused", async (code) => {
  const response = await post(refuses({ code }));
  expect([response.status, await response.json()]).toMatchObject([400, { code }]);
});

test("answers nothing of an error but Postgres' own fields", async () => {
  const response = await post(() => Promise.reject(Object.assign(new Error("duplicate"), { code: "23505", constraint: "taken", query: "SELECT 'secret'", password: "secret" })));
  expect(await response.json()).toEqual({ message: "duplicate", code: "23505", constraint: "taken" });
});

test("refuses a body of more than 4 MiB without running anything", async () => {
  let ran = 0;
  const run: Run = async () => {
    ran += 1;
    return [];
  };
  const body = JSON.stringify({ query: "SELECT $1", params: ["x".repeat(4 * 1024 * 1024)] });
  expect([(await post(run, { body })).status, ran]).toEqual([413, 0]);
});

test("is at one path and one method", async () => {
  const app = sqlEndpoint({ connectionString: url, run: answers });
  expect((await app.request("/sql")).status).toBe(404);
  expect((await app.request("/", { method: "POST" })).status).toBe(404);
});
