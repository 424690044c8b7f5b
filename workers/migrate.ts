// The command for where no process of ours starts: `DATABASE_URL=… npm run migrate` before Workers are deployed.
import { readSettings } from "../src/env.ts";
import { usersSettings } from "../src/settings/services.ts";
import { migratePostgres } from "./migrations.ts";
import { hostOf } from "./postgres-url.ts";
import { processEnvironment } from "./settings-file.ts";

try {
  const { DATABASE_URL: url } = readSettings(usersSettings.pick({ DATABASE_URL: true }), processEnvironment());
  await migratePostgres(url);
  console.log(`Migrated the database at "${hostOf(url)}"`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
