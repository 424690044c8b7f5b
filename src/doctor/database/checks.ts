import { codesIn } from "../../http/causes.ts";
import { countClosed } from "../../webhooks/sealed.ts";
import { clockFinding } from "../clock.ts";
import { type Finding, type Findings, notChecked } from "../finding.ts";
import { lostTo, reached } from "../reach.ts";
import { found, SYSTEM } from "./found.ts";
import { type Migration, migrationsFinding } from "./migrations.ts";
import { serverFindings } from "./server.ts";
import { type Query, readApplied, readSealedSecrets, readServer, readTables, type Server } from "./store.ts";

export type DatabaseNeeds = {
  url: string;
  query: Query;
  /** As the release has them, in their order. */
  migrations: readonly Migration[];
  /** Names of the tables that the migrations make. */
  tables: readonly string[];
  /** Connections that one process takes at most. */
  pool: number;
  /** Undefined where no webhooks are served. */
  webhookKey: string | undefined;
  now: () => number;
};

/** What a Postgres is like, seen from the platform; only SELECTs. */
export async function* databaseChecks({ url, query, migrations, tables, pool, webhookKey, now }: DatabaseNeeds): Findings {
  const began = now();
  const server = await readServer(query).catch((error: unknown) => ({ error }));
  const place = { system: SYSTEM, setting: "DATABASE_URL", url };
  if ("error" in server) {
    const state = codesIn(server.error).find(isSqlState);
    const fault = state === undefined ? lostTo(place, server.error) : refusal(state, { url, pool });
    yield fault;
    return fault.sentence;
  }
  const clock = clockFinding(SYSTEM, { began, ended: now(), theirs: server.now_ms });
  yield reached(place);
  yield found("credential", { user: server.user });
  yield clock;
  yield* serverFindings(server, { url, pool });
  const applied = await readApplied(query);
  yield applied === "hidden" ? found("migrations-hidden", { user: server.user }) : migrationsFinding(applied, { migrations, server });
  yield rights(server, await readTables(query, tables));
  if (webhookKey !== undefined) yield await webhooks(query, webhookKey);
  return undefined;
}

async function webhooks(query: Query, key: string): Promise<Finding> {
  const secrets = await readSealedSecrets(query).catch(() => undefined);
  if (!secrets) return notChecked(SYSTEM, "webhooks", "It does not tell what the secrets of webhooks are sealed with");
  const closed = await countClosed(key, secrets);
  return closed > 0 ? found("webhooks-sealed", { closed, count: secrets.length }) : found("webhooks", { count: secrets.length });
}

function rights({ user }: Server, tables: Awaited<ReturnType<typeof readTables>>): Finding {
  const closed = tables.filter(({ is_open }) => !is_open).map(({ name }) => name);
  if (closed.length > 0) return found("rights-missing", { user, tables: closed.join(", ") });
  return tables.length > 0 ? found("rights", { user, count: tables.length }) : notChecked(SYSTEM, "rights", "There are no tables yet");
}

function refusal(state: string, { url, pool }: { url: string; pool: number }) {
  const { username, pathname } = new URL(url);
  const user = decodeURIComponent(username);
  if (state === "28P01") return found("credential-refused", { user });
  if (state === "28000") return found("credential-forbidden", { user });
  if (state === "3D000") return found("database-missing", { database: decodeURIComponent(pathname.slice(1)), user });
  return state === "53300" ? found("full", { pool }) : found("refusing", { state });
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);
}
