import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migratePostgres } from "../../workers/migrations.ts";
import { asOwner, type OwnDatabase, ownDatabase } from "../systems/postgres.ts";
import { ownFolder } from "../workers/folder.ts";
import { diagnosis, MINUTE_MS } from "./command.ts";

const { TEST_DATABASE_URL: url = "" } = process.env;

const settings = (at: string) => ({ GATEHOUSE_DATA: join(ownFolder(), "data"), SERVICES: "discovery", DATABASE_URL: at });

describe.skipIf(url === "")("a Postgres", { timeout: 2 * MINUTE_MS }, () => {
  let own: OwnDatabase;
  let latin: OwnDatabase;

  beforeAll(async () => {
    own = await ownDatabase(url);
    latin = await ownDatabase(url, "ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
  }, MINUTE_MS);
  afterAll(async () => {
    await own.drop();
    await latin.drop();
  }, MINUTE_MS);

  test("one that is not migrated is warned of, and is not migrated by looking", async () => {
    for (let time = 0; time < 2; time++) {
      const { having } = await diagnosis(settings(own.url));
      expect(having("database", "migrations-pending")).toMatchObject([{ status: "warning", sentence: expect.stringMatching(/^(\d+) of \1 /), remedy: expect.stringContaining("npm run migrate") }]);
    }
  });

  test("one that is migrated is fine; one from a later version, or with another text of a migration, is not", async () => {
    await migratePostgres(own.url);
    const { having, of } = await diagnosis(settings(own.url));
    for (const code of ["reached", "credential", "clock-fine", "version", "encoding", "writable", "migrations", "rights"]) expect(having("database", code)).toHaveLength(1);
    expect(of("database").filter(({ status }) => status === "error" || status === "not-checked")).toEqual([]);
    await asOwner(own.url, "UPDATE drizzle.__drizzle_migrations SET hash = 'other' WHERE id = (SELECT min(id) FROM drizzle.__drizzle_migrations)");
    expect((await diagnosis(settings(own.url))).having("database", "migrations-changed")).toMatchObject([{ status: "error", sentence: expect.stringContaining("0000_initial") }]);
    await asOwner(own.url, "INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('later', 9999999999999)");
    const later = await diagnosis(settings(own.url));
    expect(later.exit).toBe(1);
    expect(later.having("database", "migrations-ahead")).toMatchObject([{ remedy: expect.stringContaining("a later one") }]);
  });

  test("rights that were taken away, and a role that may do more than it has to", async () => {
    await asOwner(own.url, "REVOKE DELETE ON discovery.instances FROM CURRENT_USER");
    const { exit, having, faults } = await diagnosis(settings(own.url));
    await asOwner(own.url, "GRANT DELETE ON discovery.instances TO CURRENT_USER");
    expect(exit).toBe(1);
    expect(having("database", "rights-missing")).toMatchObject([{ sentence: expect.stringContaining("discovery.instances"), remedy: expect.stringContaining("GRANT SELECT, INSERT, UPDATE, DELETE") }]);
    // Whoever makes databases for tests may make them.
    expect(faults.some((fault) => fault === "database/powers-excess" || fault === "database/superuser")).toBe(true);
  });

  test("another encoding, no such database, and another password", async () => {
    const other = await diagnosis(settings(latin.url));
    expect(other.having("database", "encoding-other")).toMatchObject([{ status: "error", sentence: expect.stringContaining("LATIN1") }]);
    const none = await diagnosis(settings(Object.assign(new URL(own.url), { pathname: "no_such_database" }).href));
    expect(none.having("database", "database-missing")).toMatchObject([{ remedy: expect.stringContaining("createdb") }]);
    const wrong = Object.assign(new URL(own.url), { password: "not-the-one-that-it-has" }).href;
    const refused = await diagnosis({ ...settings(own.url), DATABASE_URL: wrong });
    expect(refused.having("database", "credential-refused")).toHaveLength(1);
    expect(refused.text).not.toContain("not-the-one-that-it-has");
  });
});
