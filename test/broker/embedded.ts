import { embeddedBroker } from "../../src/broker/embedded/app.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { openPostgres } from "../../workers/postgres.ts";
import { type TestDatabase, testDatabase, testDatabaseOn } from "../database.ts";
import type { BrokerUnderTest } from "../wire/broker/wire.ts";

export type EmbeddedUnderTest = BrokerUnderTest & {
  database: TestDatabase;
  /** Milliseconds that the broker's time is ahead of ours. */
  clock: { shift: number };
  now: () => number;
  /** One more server over the same database. */
  another: () => Fetch;
  close: () => Promise<void>;
};

const CREDENTIALS = { username: "broker", password: "of the tests: ü" };

/** An embedded broker on a database of its own; on an ordinary Postgres where TEST_DATABASE_URL names one. */
export async function embeddedUnderTest({ isOpen = false } = {}): Promise<EmbeddedUnderTest> {
  const database = await emptyDatabase();
  const clock = { shift: 0 };
  const now = () => Date.now() + clock.shift;
  const credentials = isOpen ? undefined : CREDENTIALS;
  const another = (): Fetch => {
    const app = embeddedBroker({ db: database.db, now, credentials });
    return (request) => app.fetch(request);
  };
  return { fetch: another(), another, baseUrl: "http://broker.test", ...(credentials && { credentials }), database, clock, now, close: database.close };
}

/** Only on an ordinary Postgres do statements really run at the same time. */
async function emptyDatabase(): Promise<TestDatabase> {
  const url = process.env["TEST_DATABASE_URL"];
  if (!url) return testDatabase();
  const database = testDatabaseOn(await openPostgres(url, { timeout: 5000, log: () => {} }));
  await database.reset();
  return database;
}
