import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { database } from "../../src/database/client.ts";
import { isNeon } from "../../src/database/neon.ts";
import { databaseChecks } from "../../src/doctor/database/checks.ts";
import type { Query } from "../../src/doctor/database/store.ts";
import type { Findings } from "../../src/doctor/finding.ts";
import { TooLate } from "../../src/http/within.ts";
import { network } from "../isolate.ts";
import { journal, migrationsFolder } from "../migration-files.ts";
import { clientOf } from "../pg.ts";

type Place = { url: string; endpoint: string | undefined };

const TIMEOUT_MS = 5000;

export async function* examineDatabase({ pool, webhookKey, ...place }: Place & { pool: number; webhookKey: string | undefined }): Findings {
  const { query, close } = opened(place);
  try {
    return yield* databaseChecks({ url: place.url, migrations: migrationsIn(migrationsFolder), tables: tablesIn(migrationsFolder), pool, webhookKey, now: Date.now, query });
  } finally {
    await close();
  }
}

/** What one of the `read…` functions finds there. */
export async function readFrom<T>(place: Place, read: (query: Query) => Promise<T>): Promise<T> {
  const { query, close } = opened(place);
  try {
    return await read(query);
  } finally {
    await close();
  }
}

/** A Postgres by its own protocol, or Neon by HTTP; connects with the first query. */
function opened({ url, endpoint }: Place): { query: Query; close: () => Promise<void> } {
  if (endpoint !== undefined || isNeon(url)) {
    const db = database({ url, endpoint, fetch: network, now: Date.now, timeout: TIMEOUT_MS });
    return { query: async (text) => (await db.execute(text)).rows, close: async () => {} };
  }
  const client = clientOf({ url, application_name: "gatehouse-doctor", connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
  let connected: Promise<unknown> | undefined;
  return {
    async query(text) {
      try {
        await (connected ??= client.connect());
        return (await client.query(text)).rows;
      } catch (error) {
        throw isLate(error) ? new TooLate(error.message, { cause: error }) : error;
      }
    },
    close: () => client.end().catch(() => {}),
  };
}

/** pg's own deadlines have nothing but their words. */
function isLate(error: unknown): error is Error {
  return error instanceof Error && ["timeout expired", "Query read timeout"].includes(error.message);
}

/** As drizzle's migrator knows them. */
function migrationsIn(folder: string) {
  return journal(folder).map(({ tag, when }) => ({ tag, when, hash: createHash("sha256").update(readFileSync(join(folder, `${tag}.sql`), "utf8")).digest("hex") }));
}

/** Schemas that only embedded servers keep their own in, beside the platform's. */
const OF_EMBEDDED: ReadonlySet<string> = new Set(["identity", "secrets", "broker"]);

/** `schema.name` of each table, by the last snapshot, which has them all. */
function tablesIn(folder: string): string[] {
  const last = readdirSync(join(folder, "meta")).filter((name) => name.endsWith("_snapshot.json")).toSorted().at(-1);
  if (last === undefined) return [];
  const { tables } = JSON.parse(readFileSync(join(folder, "meta", last), "utf8")) as { tables: Record<string, { schema: string; name: string }> };
  return Object.values(tables).filter(({ schema }) => !OF_EMBEDDED.has(schema)).map(({ schema, name }) => `${schema}.${name}`);
}
