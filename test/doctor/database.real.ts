import { join } from "node:path";
import process from "node:process";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migratePostgres } from "../../workers/migrations.ts";
import { diagnosis, MINUTE_MS, ownFolder } from "./command.ts";

const { TEST_DATABASE_URL: url = "" } = process.env;
const name = `gatehouse_doctor_${crypto.randomUUID().replaceAll("-", "")}`;

const at = (database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
const settings = (database: string) => ({ GATEHOUSE_DATA: join(ownFolder(), "data"), SERVICES: "discovery", DATABASE_URL: at(database) });

async function sql(database: string, ...statements: string[]) {
  const client = new Client({ connectionString: at(database) });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

describe.skipIf(url === "")("a Postgres", { timeout: 2 * MINUTE_MS }, () => {
  const own = new URL(url || "postgres://a@b/c").pathname.slice(1);
  const latin = `${name}_latin`;

  beforeAll(() => sql(own, `CREATE DATABASE ${name}`, `CREATE DATABASE ${latin} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`), MINUTE_MS);
  afterAll(() => sql(own, `DROP DATABASE ${name} WITH (FORCE)`, `DROP DATABASE ${latin} WITH (FORCE)`), MINUTE_MS);

  test("one that is not migrated is warned of, and is not migrated by looking", async () => {
    for (let time = 0; time < 2; time++) {
      const { having } = await diagnosis(settings(name));
      expect(having("database", "migrations-pending")).toMatchObject([{ status: "warning", sentence: expect.stringMatching(/^(\d+) of \1 /), remedy: expect.stringContaining("npm run migrate") }]);
    }
  });

  test("one that is migrated is fine; one from a later version, or with another text of a migration, is not", async () => {
    await migratePostgres(at(name));
    const { having, of } = await diagnosis(settings(name));
    for (const code of ["reached", "credential", "clock-fine", "version", "encoding", "writable", "migrations", "rights"]) expect(having("database", code)).toHaveLength(1);
    expect(of("database").filter(({ status }) => status === "error" || status === "not-checked")).toEqual([]);
    await sql(name, "UPDATE drizzle.__drizzle_migrations SET hash = 'other' WHERE id = (SELECT min(id) FROM drizzle.__drizzle_migrations)");
    expect((await diagnosis(settings(name))).having("database", "migrations-changed")).toMatchObject([{ status: "error", sentence: expect.stringContaining("0000_initial") }]);
    await sql(name, "INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('later', 9999999999999)");
    const later = await diagnosis(settings(name));
    expect(later.exit).toBe(1);
    expect(later.having("database", "migrations-ahead")).toMatchObject([{ remedy: expect.stringContaining("a later one") }]);
  });

  test("rights that were taken away, and a role that may do more than it has to", async () => {
    await sql(name, "REVOKE DELETE ON discovery.instances FROM CURRENT_USER");
    const { exit, having, faults } = await diagnosis(settings(name));
    await sql(name, "GRANT DELETE ON discovery.instances TO CURRENT_USER");
    expect(exit).toBe(1);
    expect(having("database", "rights-missing")).toMatchObject([{ sentence: expect.stringContaining("discovery.instances"), remedy: expect.stringContaining("GRANT SELECT, INSERT, UPDATE, DELETE") }]);
    // Whoever makes databases for tests may make them.
    expect(faults.some((fault) => fault === "database/powers-excess" || fault === "database/superuser")).toBe(true);
  });

  test("another encoding, no such database, and another password", async () => {
    const other = await diagnosis(settings(latin));
    expect(other.having("database", "encoding-other")).toMatchObject([{ status: "error", sentence: expect.stringContaining("LATIN1") }]);
    const none = await diagnosis(settings("no_such_database"));
    expect(none.having("database", "database-missing")).toMatchObject([{ remedy: expect.stringContaining("createdb") }]);
    const wrong = Object.assign(new URL(at(name)), { password: "not-the-one-that-it-has" }).href;
    const refused = await diagnosis({ ...settings(name), DATABASE_URL: wrong });
    expect(refused.having("database", "credential-refused")).toHaveLength(1);
    expect(refused.text).not.toContain("not-the-one-that-it-has");
  });
});
