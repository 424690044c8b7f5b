import { embeddedIdentity } from "../../src/identity/embedded/app.ts";
import { provisionIdentity, type RealmToProvide } from "../../src/identity/embedded/provision.ts";
import { openPostgres } from "../../workers/postgres.ts";
import { testDatabase, testDatabaseOn, type TestDatabase } from "../database.ts";
import type { IdentityUnderTest } from "../wire/identity/wire.ts";

export type EmbeddedUnderTest = IdentityUnderTest & { database: TestDatabase; clock: { shift: number }; close: () => Promise<void> };

export const REALM: RealmToProvide = {
  secrets: { "auth-service": "auth-service-secret", "user-service": "user-service-secret", "admin-service": "admin-service-secret" },
  administrator: { username: "admin01", password: "Correct-Horse-Battery-1" },
};

/** The embedded identity provider over a database of its own, with cheap hashes and a clock that can be put forward. */
export async function embeddedUnderTest(): Promise<EmbeddedUnderTest> {
  const database = await emptyDatabase();
  const clock = { shift: 0 };
  const needs = { db: database.db, url: "http://identity.test", realm: "platform", now: () => Date.now() + clock.shift, iterations: 1000 };
  await provisionIdentity(needs, REALM);
  const app = embeddedIdentity(needs);
  return { ...underTest(needs.url), fetch: (request) => app.fetch(request), database, clock, close: database.close };
}

/** On an ordinary Postgres where TEST_DATABASE_URL names one: only there do statements really run at the same time. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const url = process.env["TEST_DATABASE_URL"];
  if (!url) return testDatabase();
  const database = testDatabaseOn(await openPostgres(url, { timeout: 5000, log: () => {} }));
  await database.reset();
  return database;
}

/** The platform's realm as these tests provide it, wherever it is served. */
export function underTest(baseUrl: string): IdentityUnderTest {
  return {
    fetch: (request) => fetch(request),
    baseUrl,
    realm: "platform",
    authService: { id: "auth-service", secret: "auth-service-secret" },
    userService: { id: "user-service", secret: "user-service-secret" },
    adminService: { id: "admin-service", secret: "admin-service-secret" },
    administrator: REALM.administrator,
  };
}
