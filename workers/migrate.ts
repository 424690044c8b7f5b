// The command for where no process of ours starts: `DATABASE_URL=… npm run migrate` before Workers are deployed.
import { migratePostgres } from "./migrations.ts";

const url = process.env["DATABASE_URL"] ?? "";
try {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) throw new Error("Cannot migrate: set DATABASE_URL to a postgres:// URL");
  await migratePostgres(url);
  console.log(`Migrated the database at "${new URL(url).host}"`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
