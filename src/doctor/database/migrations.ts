import type { Finding } from "../finding.ts";
import { found } from "./found.ts";
import type { Applied, Server } from "./store.ts";

/** One file of the folder: drizzle knows it by `when`, and keeps the SHA-256 of its text. */
export type Migration = { tag: string; when: number; hash: string };

/** What is applied against what the release has. */
export function migrationsFinding(applied: Applied, { migrations, server }: { migrations: readonly Migration[]; server: Server }): Finding {
  const known = new Map(migrations.map((migration) => [migration.when, migration]));
  const unknown = applied.filter(({ created_at }) => !known.has(created_at));
  if (unknown.length > 0) return found("migrations-ahead", { count: unknown.length });
  const changed = applied.map(({ created_at, hash }) => ({ migration: known.get(created_at), hash })).find(({ migration, hash }) => migration?.hash !== hash);
  if (changed?.migration) return found("migrations-changed", { tag: changed.migration.tag });
  const count = migrations.length;
  const pending = count - applied.length;
  if (pending === 0) return found("migrations", { count });
  const { user, database } = server;
  return !server.may_create_schema ? found("migrations-blocked", { pending, count, user, database }) : found("migrations-pending", { pending, count });
}
