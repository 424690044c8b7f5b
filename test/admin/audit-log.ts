import { createHash } from "node:crypto";
import type { ChainedEntry } from "../../src/admin/audit-log/entry.ts";
import type { Verdict } from "../../src/admin/audit-log/verify.ts";
import { relayOf } from "../events/locking.ts";
import { type AdminPlatform, adminPlatform } from "./instance.ts";

export type Answered = Omit<Verdict, "next"> & { next: string | null };

/** The hash that the documents say an entry has, without a word of SQL. */
export function hashOf({ sequence, previous, id, at, actor, client, action, resource, outcome, code, requestId }: Omit<ChainedEntry, "hash">): string {
  return createHash("sha256")
    .update(JSON.stringify([sequence, previous, id, at, actor, client, action, resource, outcome, code, requestId]))
    .digest("hex");
}

/** What is wrong with `entries`, the oldest first and from the first one on. */
export function faultsIn(entries: ChainedEntry[]): string[] {
  return entries.flatMap((entry, index) => {
    const before = entries[index - 1]?.hash ?? "0".repeat(64);
    const isRight = entry.sequence === index + 1 && entry.previous === before && entry.hash === hashOf(entry);
    return isRight ? [] : [`${entry.sequence} at ${index + 1}`];
  });
}

/** An administration service whose calls get into its audit log. */
export async function auditedPlatform() {
  const platform = await adminPlatform();
  const relay = relayOf(platform);

  async function get<Body>(path: string): Promise<Body> {
    const response = await platform.call("GET", path);
    if (response.status !== 200) throw new Error(`Cannot get "${path}": ${await response.text()}`);
    return (await response.json()) as Body;
  }

  /** Has everything that has happened brought into the log. */
  async function settle(): Promise<void> {
    await relay();
    await platform.sweep();
  }

  return {
    ...platform,
    get,
    settle,
    /** Every entry that fits, the newest first, page by page. */
    async entries(filter: Record<string, string> = {}): Promise<ChainedEntry[]> {
      const all: ChainedEntry[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const query = new URLSearchParams({ limit: "200", ...filter, ...(cursor !== "" && { cursor }) });
        const page: { entries: ChainedEntry[]; next: string | null } = await get(`/api/admin/audit?${query}`);
        all.push(...page.entries);
        cursor = page.next;
      }
      return all;
    },
    verify: (after?: string) => get<Answered>(`/api/admin/audit/verify${after === undefined ? "" : `?after=${after}`}`),
    /** Writes events of calls as the service does, `count` of them. */
    async write(count: number): Promise<void> {
      await platform.database.query(
        `INSERT INTO events.outbox (topic, type, key, data, created_at) SELECT 'platform.audit', 'admin.called', 'caller-' || n % 7,
           jsonb_build_object('caller', 'caller-' || n % 7, 'client', 'auth-service', 'operation', 'createAppRole', 'resource', 'approle/role-' || n,
             'requestId', 'request-' || n, 'outcome', 'succeeded', 'code', NULL), now() FROM generate_series(1, $1::int) AS n`,
        [String(count)],
      );
      await settle();
    },
  };
}

export type AuditedPlatform = Awaited<ReturnType<typeof auditedPlatform>>;

/** Does as a database owner can. */
export async function asOwner({ database }: Pick<AdminPlatform, "database">, statements: string[]): Promise<void> {
  for (const switched of ["DISABLE", "ENABLE"]) {
    if (switched === "ENABLE") for (const statement of statements) await database.query(statement);
    for (const table of ["admin.audit_entries", "admin.audit_head"]) await database.query(`ALTER TABLE ${table} ${switched} TRIGGER USER`);
  }
}
