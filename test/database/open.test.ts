import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { deno } from "../deno.ts";
import { openDatabase } from "../../workers/database.ts";
import { openPglite, type Postgres } from "../../workers/pglite.ts";

const WRITER = fileURLToPath(new URL("writer.ts", import.meta.url));
const log = () => {};

let directory: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

/** A process that writes to the database until it is killed after its `count`th line; the last row it knew to be stored. */
async function writeAndDie(runtime: string, count: number): Promise<number> {
  const [command, options] = runtime === "Deno" ? [deno.command, deno.run] : [process.execPath, []];
  const child = spawn(command, [...options, WRITER, directory], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === count) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return Number(lines.at(-1));
}

async function query({ run }: Postgres, sql: string): Promise<(string | null)[]> {
  const [result] = await run({ statements: [{ query: sql, params: [] }] });
  return result?.rows[0] ?? [];
}

describe("the embedded database", () => {
  test("is made, kept and opened again", async () => {
    const at = { directory: join(directory, "deep", "inside"), password: "p/w:@", log };
    const first = await openDatabase(at);
    await first.client.execute("CREATE TABLE kept AS SELECT 'Grüße' AS text");
    await first.close();
    const second = await openDatabase(at);
    expect((await second.client.execute("SELECT text FROM kept")).rows).toEqual([{ text: "Grüße" }]);
    await second.close();
    expect(statSync(at.directory).mode & 0o777).toBe(0o700);
  });

  test.each(["Node", "Deno"])("keeps on %s what it said it had stored, and no half of a batch, after kill -9", { timeout: 60_000 }, async (runtime) => {
    for (const round of [1, 2]) {
      const stored = await writeAndDie(runtime, 100 * round);
      const backend = await openPglite(directory, { log });
      const [last, odd] = await query(backend, "SELECT max(id), count(*) FILTER (WHERE pair = 1) - count(*) FILTER (WHERE pair = 2) FROM rows");
      expect(Number(last)).toBeGreaterThanOrEqual(stored + 1);
      expect(odd).toBe("0");
      await backend.close();
    }
  });

  test("starts anew after a first start that did not end", async () => {
    mkdirSync(join(directory, "data"));
    writeFileSync(join(directory, "data", "PG_VERSION"), "18");
    writeFileSync(join(directory, "data.unfinished"), "");
    const backend = await openPglite(directory, { log });
    expect(await query(backend, "SELECT 1")).toEqual(["1"]);
    await backend.close();
    expect(readdirSync(directory).toSorted()).toEqual(["data", "lock"]);
  });

  test("starts after being killed at any moment of its first start", { timeout: 60_000 }, async () => {
    for (const wait of [200, 500, 800, 1200]) {
      const child = spawn(process.execPath, [WRITER, directory], { stdio: "ignore" });
      children.push(child);
      await pause(wait);
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    const backend = await openPglite(directory, { log });
    expect(await query(backend, "SELECT 1")).toEqual(["1"]);
    await backend.close();
  });

  test("is refused to a second process, in this one and in another, with one sentence", async () => {
    const backend = await openPglite(directory, { log });
    const sentence = `Cannot open the database in "${directory}": another process is using it`;
    await expect(openPglite(directory, { log })).rejects.toThrow(sentence);
    const child = spawn(process.execPath, [WRITER, directory], { stdio: ["ignore", "ignore", "pipe"] });
    children.push(child);
    let said = "";
    child.stderr.on("data", (chunk) => (said += chunk));
    const [code] = await once(child, "exit");
    expect([code, said]).toEqual([1, expect.stringContaining(sentence)]);
    expect(await query(backend, "SELECT 1")).toEqual(["1"]);
    await backend.close();
    await (await openPglite(directory, { log })).close();
  });

  test("looks after itself: its log does not grow until it is closed", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const backend = await openPglite(directory, { log });
      const start = async () => (await query(backend, "SELECT redo_lsn FROM pg_control_checkpoint()"))[0];
      const before = await start();
      await query(backend, "CREATE TABLE grown AS SELECT generate_series(1, 1000)");
      expect(await start()).toBe(before);
      vi.advanceTimersByTime(5 * 60_000);
      await expect.poll(start).not.toBe(before);
      await backend.close();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("gives its directory back when it cannot be opened", async () => {
    writeFileSync(join(directory, "data"), "not a directory");
    await expect(openPglite(directory, { log })).rejects.toThrow();
    rmSync(join(directory, "data"));
    await (await openPglite(directory, { log })).close();
    expect(existsSync(join(directory, "data", "PG_VERSION"))).toBe(true);
  });
});
