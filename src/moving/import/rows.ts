import type { Database } from "../../database/client.ts";
import { batches } from "../batches.ts";
import { type Table, TABLES } from "../kinds.ts";
import { type Columns, columnsOf } from "../rows-store.ts";
import { EventSchema, type UnreadEvent } from "../schema.ts";
import type { ImportNeeds } from "./needs.ts";
import { appendEntries, compareRows, type Given, insertRows, moveAside, moveSequences, type Outcome, sendAgain } from "./rows-store.ts";

export type RowsNeeds = ImportNeeds & {
  db: Database;
  lines: (name: string) => AsyncIterable<string>;
  /** Whether the broker is another one than what was exported speaks of: no offset means the same there. */
  isOtherBroker: boolean;
};

/** Ids of events that some consumer has yet to read; `missing` are those that have left the outbox since they were sent. */
type Unread = { all: Set<string>; missing: Set<string> };

type Place = { table: Table; columns: Columns };

/** Aside, below zero: at the other broker, another record comes to the same offset. */
const GIVEN_UP = "events.given_up";

const BATCH = { count: 500, most: 2_000_000 };

/** Where a consumer begins anew: at the earliest record, past all whose ids it has handled. */
const UNREAD = JSON.stringify({ next_offset: null, caught_up_at: null, tries: 0, retry_at: null, last_error: null });
/** As the relay finds one that was never sent. */
const UNSENT = JSON.stringify({ sent_at: null, due: null, lease_holder: null, unanswered: 0, attempts: 0 });

/** The platform's own rows as they were, but for what speaks of a broker that is another one now. */
export async function importRows(needs: RowsNeeds): Promise<void> {
  const unread: Unread = { all: new Set(), missing: new Set() };
  if (needs.isOtherBroker) for await (const { id } of events(needs)) for (const ids of Object.values(unread)) ids.add(id);
  for (const table of TABLES) await importTable(needs, table, unread);
  if (!needs.isOtherBroker) return;
  for await (const batch of batches(events(needs), { count: BATCH.count })) {
    const missing = batch.filter(({ id }) => unread.missing.has(id));
    const made = needs.isDryRun ? missing.length : await sendAgain(needs.db, missing);
    needs.tally.count("events", "made", made);
    needs.tally.count("events", "same", batch.length - made);
  }
}

async function importTable(needs: RowsNeeds, table: Table, unread: Unread): Promise<void> {
  const { db, lines, tally, isDryRun } = needs;
  const columns = await columnsOf(db, table);
  const patch = needs.isOtherBroker ? patches[table] : undefined;
  for await (const batch of batches(lines(table), { ...BATCH, size: (line) => line.length })) {
    const rows = batch.map((row): Given => ({ row, ...patchOf(patch?.(row, unread)) }));
    const { different, ...counts } = await (table === GIVEN_UP ? importGivenUp : importBatch)(needs, { table, columns }, rows);
    for (const result of ["made", "same", "changed"] as const) tally.count(table, result, counts[result]);
    for (const key of different) tally.tell(table, "different", `"${key}" is there and says something else, or what it says is another's`);
  }
  if (!isDryRun) await moveSequences(db, { table, columns });
}

/** The audit log is one chain: it is continued, or left as it is. */
function importBatch(needs: RowsNeeds, place: Place, rows: Given[]): Promise<Outcome> {
  const { db, isDryRun, overwrites } = needs;
  const isLog = place.table === "admin.audit_entries";
  if (isDryRun) return compareRows(db, place, { rows, overwrites: overwrites && !isLog });
  return isLog ? appendEntries(db, rows.map(({ row }) => row)) : insertRows(db, place, { rows, overwrites });
}

/** Those that are there from before are changed, and then the same as what comes in; in a trial they are not there yet. */
async function importGivenUp(needs: RowsNeeds, place: Place, rows: Given[]): Promise<Outcome> {
  const moved = needs.isOtherBroker ? await moveAside(needs.db, place, { rows, isDryRun: needs.isDryRun }) : 0;
  const { made, same, ...outcome } = await importBatch(needs, place, rows);
  return { ...outcome, changed: outcome.changed + moved, ...(needs.isDryRun ? { made: made - moved, same } : { made, same: same - moved }) };
}

const patches: Partial<Record<Table, (row: string, unread: Unread) => string | undefined>> = {
  "events.positions": () => UNREAD,
  [GIVEN_UP]: (row) => {
    const { offset } = JSON.parse(row) as { offset: number };
    return JSON.stringify({ offset: offset < 0 ? offset : -1 - offset });
  },
  "events.outbox": (row, { all, missing }) => {
    const { id } = JSON.parse(row) as { id: string };
    missing.delete(id);
    return all.has(id) ? UNSENT : undefined;
  },
};

function patchOf(patch: string | undefined): { patch?: string } {
  return patch === undefined ? {} : { patch };
}

async function* events({ lines }: RowsNeeds): AsyncGenerator<UnreadEvent> {
  for await (const line of lines("events")) yield EventSchema.parse(JSON.parse(line));
}
