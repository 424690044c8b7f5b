import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { begun, worker } from "../command.ts";
import { ownFolder } from "../workers/folder.ts";
import { LIMIT_MS, run } from "./commands.ts";
import { filled } from "./filled.ts";

const data = mkdtempSync(join(tmpdir(), "gatehouse-"));
const out = join(data, "exported");

beforeAll(async () => {
  await filled(data);
  await run("export", [out], { GATEHOUSE_DATA: data });
}, LIMIT_MS);
afterAll(() => rmSync(data, { recursive: true, force: true }));

test.each<[NodeJS.Signals, number]>([
  ["SIGINT", 130],
  ["SIGTERM", 143],
])("A trial that %s ends leaves no copy of the database, and ends with %i", async (signal, status) => {
  const TMPDIR = ownFolder();
  const { child, ended, output } = begun(worker("import", out, "--dry-run", "--only", "database"), { GATEHOUSE_DATA: data, TMPDIR });
  while (child.exitCode === null && readdirSync(TMPDIR).length === 0) await pause(2);
  child.kill(signal);
  expect({ code: await ended, left: readdirSync(TMPDIR) }, output()).toEqual({ code: status, left: [] });
}, LIMIT_MS);
