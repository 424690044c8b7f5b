import { expect, test } from "vitest";
import { begun, worker } from "../command.ts";

/** Commands load everything anew, each on a machine that does other things too. */
const LIMIT_MS = 240_000;

async function visit(name: string, ...args: string[]) {
  const { ended, out, err } = begun(worker(name, ...args), {});
  return { code: await ended, out: out(), err: err() };
}

test.each([
  ["export", 1, ["one", "two"]],
  ["import", 1, []],
  ["provision", 1, ["now"]],
  ["doctor", 2, ["now"]],
])("npm run %s answers what it is asked for with --help, and refuses what it does not know with status %i", { timeout: LIMIT_MS }, async (name, failed, wrong) => {
  const usage = expect.stringContaining(`Usage: npm run ${name}`);
  expect(await visit(name, "--help")).toEqual({ code: 0, out: usage, err: "" });
  for (const args of [["--nope"], wrong]) expect(await visit(name, ...args)).toEqual({ code: failed, out: "", err: usage });
});

test("npm run provision -- --help says what it asks, how to agree without a terminal, and every status", { timeout: LIMIT_MS }, async () => {
  const { out } = await visit("provision", "--help");
  for (const part of ['"Do it? [y/N]"', "no terminal", "--yes", "0 when", "1 when", "2 when", "3 when"]) expect(out).toContain(part);
});

test("npm run export -- --help says what it reads with --postgres", { timeout: LIMIT_MS }, async () => {
  expect((await visit("export", "--help")).out).toContain("--postgres  reads the database at DATABASE_URL instead");
});
