import { type messages, type PGlite, protocol } from "@electric-sql/pglite";
import { joined } from "../http/bounded.ts";
import { perform, type Run } from "./run.ts";
import type { Result, Statement } from "./wire.ts";

/** Runs statements on `pglite`, one batch after the other, through the extended-query protocol: values stay text. */
export function pgliteRun(pglite: PGlite): Run {
  return (work) =>
    // The raw protocol goes past PGlite's own locks, so both are taken here.
    pglite._runExclusiveTransaction(() =>
      pglite.runExclusive(async () => {
        try {
          return await perform(work, (statement) => speak(pglite, statement));
        } finally {
          if (pglite.isInTransaction()) await speak(pglite, { query: "ROLLBACK", params: [] });
        }
      }),
    );
}

async function speak(pglite: PGlite, { query, params }: Statement): Promise<Result> {
  const { serialize } = protocol;
  const message = joined([
    serialize.parse({ text: query }),
    serialize.bind({ values: params }),
    serialize.describe({ type: "P" }),
    serialize.execute({}),
    serialize.sync(),
  ]);
  const result: Result = { fields: [], rows: [], rowCount: null, command: "" };
  for (const reply of await pglite.execProtocolStream(message)) {
    if (reply.name === "rowDescription") result.fields = (reply as messages.RowDescriptionMessage).fields;
    if (reply.name === "dataRow") result.rows.push((reply as messages.DataRowMessage).fields);
    if (reply.name === "commandComplete") Object.assign(result, tagIn((reply as messages.CommandCompleteMessage).text));
  }
  return result;
}

/** `INSERT 0 5` is INSERT and 5, `CREATE TABLE` is CREATE and null: as Neon and `pg` have it. */
function tagIn(text: string): Pick<Result, "command" | "rowCount"> {
  const [command = ""] = text.split(" ", 1);
  const count = /\d+$/.exec(text);
  return { command, rowCount: count && Number(count[0]) };
}
