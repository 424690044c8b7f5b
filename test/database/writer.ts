// Opens the database in the directory it is given, writes, and says so after each row: somebody else kills it.
import process from "node:process";
import { behindEndpoint } from "../../workers/database.ts";
import { openPglite } from "../../workers/pglite.ts";

console.log("began");
const { client } = behindEndpoint(await openPglite(process.argv[2] ?? "", { log: console.error }), "of-the-tests");
await client.execute("CREATE TABLE IF NOT EXISTS rows (id int GENERATED ALWAYS AS IDENTITY, pair int)");
for (;;) {
  const [{ rows }] = await client.batch([
    client.execute<{ id: number }>("INSERT INTO rows (pair) VALUES (1) RETURNING id"),
    client.execute("INSERT INTO rows (pair) VALUES (2)"),
  ]);
  console.log(rows[0]?.id);
}
