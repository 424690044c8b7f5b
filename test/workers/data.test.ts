import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { forgetPassword, openInstallation } from "../../workers/data.ts";
import { ownFolder } from "./folder.ts";

const MODULE = new URL("../../workers/data.ts", import.meta.url).href;
const STARTS = 6;

/** What a process of its own, which waits for the others until `at`, has of the installation. */
async function opened(directory: string, at: number): Promise<unknown> {
  const code = `import { openInstallation } from ${JSON.stringify(MODULE)};
    while (Date.now() < ${at});
    console.log(JSON.stringify(openInstallation(${JSON.stringify(directory)})));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "pipe"] });
  const [out, failure] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out === "" ? failure : JSON.parse(out);
}

const kept = (directory: string) => JSON.parse(readFileSync(join(directory, "secrets.json"), "utf8")) as Record<string, string>;

test.each<[string, (directory: string) => void]>([
  ["a new installation", () => {}],
  ["an installation of an older version", (directory) => writeFileSync(join(directory, "secrets.json"), '{"LOGIN_GUARD_KEY":"of-the-older-version"}')],
])("Processes that open %s at once all have the same secrets", async (_, prepare) => {
  const directory = ownFolder();
  prepare(directory);
  const before = readdirSync(directory).length > 0 ? kept(directory) : {};
  const at = Date.now() + 1500;
  const all = await Promise.all(Array.from({ length: STARTS }, () => opened(directory, at)));
  expect(kept(directory)).toMatchObject(before);
  for (const one of all) expect(one).toEqual(kept(directory));
  expect(readdirSync(directory).filter((name) => name !== "secrets.json.lock")).toEqual(["secrets.json"]);
  expect(statSync(join(directory, "secrets.json")).mode & 0o777).toBe(0o600);
});

test("A start that changes nothing writes nothing, so that a folder may be read-only", () => {
  const directory = ownFolder();
  const made = openInstallation(directory);
  const { mtimeNs, ino } = statSync(join(directory, "secrets.json"), { bigint: true });
  chmodSync(directory, 0o500);
  expect(openInstallation(directory)).toEqual(made);
  chmodSync(directory, 0o700);
  expect(statSync(join(directory, "secrets.json"), { bigint: true })).toMatchObject({ mtimeNs, ino });
});

test("The password is forgotten, and nothing that another process has added meanwhile", () => {
  const directory = ownFolder();
  openInstallation(directory);
  writeFileSync(join(directory, "secrets.json"), JSON.stringify({ ...kept(directory), OF_A_NEWER_VERSION: "x" }));
  const { ADMIN_PASSWORD, ...rest } = kept(directory);
  expect(ADMIN_PASSWORD).toMatch(/^Gh7-/);
  forgetPassword(directory);
  expect(kept(directory)).toEqual(rest);
});
