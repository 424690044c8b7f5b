import { pgliteRun } from "../../src/database/pglite.ts";
import { memoryPglite } from "../../workers/pglite.ts";
import { databaseSuite } from "./suite.ts";

databaseSuite("PGlite", async () => {
  const pglite = await memoryPglite();
  return { run: pgliteRun(pglite), close: () => pglite.close() };
});
