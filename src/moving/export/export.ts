import type { Database } from "../../database/client.ts";
import { paged } from "../batches.ts";
import { type Kind, type Table, TABLES } from "../kinds.ts";
import { columnsOf, rowsAfter } from "../rows-store.ts";
import { exportedEvents, exportedTopics } from "./broker.ts";
import { exportedClients, exportedRoles, exportedUsers } from "./identity.ts";
import { exportedAppRoles, exportedPolicies, exportedSecrets, type OpenSecret } from "./secrets.ts";

export type ExportNeeds = { db: Database; open: OpenSecret };

/** Everything that is moved, by the name of its file: one JSON text a line, read as it is asked for. */
export function exported({ db, open }: ExportNeeds): [name: Kind | Table, lines: AsyncIterable<string>][] {
  const kinds: Record<Kind, AsyncIterable<unknown>> = {
    roles: exportedRoles(db),
    clients: exportedClients(db),
    users: exportedUsers(db),
    policies: exportedPolicies(db),
    approles: exportedAppRoles(db),
    secrets: exportedSecrets(db, open),
    topics: exportedTopics(db),
    events: exportedEvents(db),
  };
  return [
    ...(Object.entries(kinds) as [Kind, AsyncIterable<unknown>][]).map(([kind, items]) => [kind, written(items)] as [Kind, AsyncIterable<string>]),
    ...TABLES.map((table) => [table, rowsOf(db, table)] as [Table, AsyncIterable<string>]),
  ];
}

async function* written(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield JSON.stringify(item);
}

async function* rowsOf(db: Database, table: Table): AsyncGenerator<string> {
  const columns = await columnsOf(db, table);
  yield* paged((after) => rowsAfter(db, { table, columns, after }));
}
