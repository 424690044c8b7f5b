import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readSettings, SettingsError } from "../../src/env.ts";
import { processSettings } from "../../src/settings/process.ts";
import { openRedis } from "../../workers/redis.ts";

const NODE = new URL("../../workers/node.ts", import.meta.url);

test("The platform does not start with two places to count in, and says so in one sentence", { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { PATH: process.env["PATH"] ?? "", GATEHOUSE_DATA: folder, REDIS_URL: "redis://127.0.0.1:1", UPSTASH_REDIS_REST_URL: "https://redis.test" };
  const start = () => execFileSync(process.execPath, [NODE.pathname], { env, encoding: "utf8", stdio: "pipe" });
  const stderr = "Cannot count in two places: set REDIS_URL or UPSTASH_REDIS_REST_URL, not both\n";
  expect(start).toThrow(expect.objectContaining({ status: 1, stderr }));
});

test.each(["http://:secret@127.0.0.1", "redis://", "redis://:secret@127.0.0.1/cache", "redis://:secret@127.0.0.1/1.5", "redis://:secret@[1"])("REDIS_URL=%s is refused", (REDIS_URL) => {
  const expected = "Cannot start with these settings:\n  REDIS_URL: Use a redis:// or rediss:// URL, with the number of the database as its path";
  expect(() => readSettings(processSettings, { REDIS_URL })).toThrow(new SettingsError(expected));
});

test.each(["redis://127.0.0.1", "redis://cache:6379/", "rediss://user:p%40ss@cache.example:6380/15", "redis://:only@[::1]:6379/0?family=6"])("REDIS_URL=%s is taken", (REDIS_URL) => {
  expect(readSettings(processSettings, { REDIS_URL })).toMatchObject({ REDIS_URL });
});

test("A Redis that refuses connections is said once, without its password, and keeps nothing from starting", async () => {
  const lines: string[] = [];
  const { close } = await openRedis({ url: "redis://someone:secret-word@127.0.0.1:1/3", log: (entry) => lines.push(JSON.stringify(entry)) });
  close();
  expect(lines).toEqual([expect.stringContaining("Cannot reach Redis")]);
  expect(lines.join()).not.toContain("secret-word");
});

test("A file of authorities that is not there is one sentence", async () => {
  const opening = openRedis({ url: "rediss://127.0.0.1:1", authority: "/nowhere/ca.pem", log: () => {} });
  await expect(opening).rejects.toThrow(/^Cannot read REDIS_CA_FILE "\/nowhere\/ca.pem": ENOENT: no such file or directory, open '\/nowhere\/ca.pem'$/);
});

test("A file of authorities without TLS is one sentence", async () => {
  const opening = openRedis({ url: "redis://:secret@127.0.0.1:1", authority: NODE.pathname, log: () => {} });
  await expect(opening).rejects.toThrow(/^Cannot use REDIS_URL: write redis:\/\/user:password@host:port\/number, or rediss:\/\/ where it has TLS$/);
});
