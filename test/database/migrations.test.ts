import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pgliteRun } from "../../src/database/pglite.ts";
import { migratePglite } from "../../workers/migrations.ts";
import { memoryPglite } from "../../workers/pglite.ts";
import { testDatabaseOn } from "../database.ts";
import { first, second, writeMigrations } from "./folder.ts";

const COMMAND = fileURLToPath(new URL("../../workers/migrate.ts", import.meta.url));
const NOWHERE = "postgres://user:secret@127.0.0.1:1/app";
const REFUSED = 'Cannot migrate the database at "127.0.0.1:1": connect ECONNREFUSED 127.0.0.1:1\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the embedded database", () => {
  test("gets each migration once, in order, and none of one that fails", async () => {
    const pglite = await memoryPglite();
    const { query, reset, close } = testDatabaseOn({ run: pgliteRun(pglite), close: () => pglite.close() });
    const steps = async () => (await query("SELECT step FROM steps")).map(({ step }) => step);
    writeMigrations(folder, [first]);
    await migratePglite(pglite, folder);
    await migratePglite(pglite, folder);
    expect(await steps()).toEqual(["first"]);
    writeMigrations(folder, [first, `${second}\n--> statement-breakpoint\nINSERT INTO nothing VALUES (1);`]);
    await expect(migratePglite(pglite, folder)).rejects.toThrow();
    expect(await steps()).toEqual(["first"]);
    writeMigrations(folder, [first, second]);
    await migratePglite(pglite, folder);
    expect(await steps()).toEqual(["first", "second"]);
    await reset();
    await migratePglite(pglite, folder);
    expect(await steps()).toEqual([]);
    await close();
  });

  test("starts with no migrations at all", async () => {
    const pglite = await memoryPglite();
    await migratePglite(pglite, folder);
    await migratePglite(pglite, join(folder, "missing"));
    await pglite.close();
  });
});

/** Starts the command as a process of its own. */
async function command(env: Record<string, string>): Promise<{ code: number | null; out: string; error: string }> {
  const child = spawn(process.execPath, [COMMAND], { env: { PATH: process.env["PATH"] ?? "", ...env } });
  let [out, error] = ["", ""];
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (error += chunk));
  const code = await new Promise<number | null>((ended) => child.on("close", ended));
  return { code, out, error };
}

describe("npm run migrate", () => {
  test.each([
    [{}, "Cannot start with these settings:\n  DATABASE_URL: Is needed\n"],
    [{ DATABASE_URL: "localhost" }, "Cannot start with these settings:\n  DATABASE_URL: Use a postgres:// URL with one host\n"],
    [{ DATABASE_URL: "http://localhost/app" }, "Cannot start with these settings:\n  DATABASE_URL: Use a postgres:// URL with one host\n"],
    [{ DATABASE_URL: NOWHERE }, REFUSED],
  ])("says why it cannot with %j", async (env, error) => {
    expect(await command({ GATEHOUSE_DATA: folder, ...env })).toEqual({ code: 1, out: "", error });
  });

  test("reads the settings file, as every command does", async () => {
    writeFileSync(join(folder, "settings.env"), `DATABASE_URL=${NOWHERE}\n`);
    expect(await command({ GATEHOUSE_DATA: folder })).toEqual({ code: 1, out: "", error: REFUSED });
  });
});
