import { dirname } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { runToEnd } from "../command.ts";

const COMMAND = { file: process.execPath, args: ["test/real/run.ts"] };

test("what the machine lacks is said in a sentence each, nothing is run, and the status says so", async () => {
  const { code, output } = await runToEnd(COMMAND, { PATH: dirname(process.execPath) });
  const lines = output.trimEnd().split("\n");
  expect(code).toBe(69);
  expect(lines).toEqual(expect.arrayContaining(["Java 17 or newer is missing", "Maven (mvn) is missing", "Go 1.25.3 or newer is missing"].map((sentence) => `Cannot run the real systems: ${sentence}`)));
  for (const line of lines) expect(line).toMatch(/^Cannot run the real systems: .* is missing/);
});

test("a system that is asked for needs only what is its own", async () => {
  const { code, output } = await runToEnd({ ...COMMAND, args: [...COMMAND.args, "vault"] }, { PATH: dirname(process.execPath) });
  expect([code, output]).toEqual([69, "Cannot run the real systems: Go 1.25.3 or newer is missing\n"]);
});

test("a name that is no system's is refused", async () => {
  const { code, output } = await runToEnd({ ...COMMAND, args: [...COMMAND.args, "oracle"] }, {});
  expect([code, output]).toEqual([64, 'Cannot run "oracle": name some of vault, keycloak, kafka, postgres, redis, --prepare, --quick\n']);
});
