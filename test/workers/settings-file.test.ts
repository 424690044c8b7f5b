import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettingsFile, writeSettingsFile } from "../../workers/settings-file.ts";
import { SettingsError } from "../../src/env.ts";
import { folder } from "./folder.ts";

const MODULE = new URL("../../workers/settings-file.ts", import.meta.url).href;
const TOLD = `import { processEnvironment } from ${JSON.stringify(MODULE)}; console.log(JSON.stringify(processEnvironment()));`;

/** What a process is told that has nothing in its environment but `environment`. */
function told(environment: Record<string, string>, cwd = folder()): Record<string, string> {
  const env = { PATH: process.env["PATH"], ...environment };
  const { PATH: _, ...rest } = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", TOLD], { cwd, env, encoding: "utf8" })) as Record<string, string>;
  return rest;
}

const ODD = [
  "plain", "with spaces", " around ", "a#b", "# not a comment", 'say "hi"', "it's", "`tick`", "a=b=c", "$HOME ${HOME}", "\\n is not a line", "back\\slash", "tab\there", "ümläut 🔑", "postgres://u:p%40ss@h:5432/d?sslmode=require&x='y'",
  "export A=b", "{\"kafka-ops\":[\"ROLE_TOPICS\"]}",
];

test.each(ODD)("%j is read back as it was written", (value) => {
  const path = join(folder(), "settings.env");
  writeSettingsFile(path, { BEFORE: "1", VALUE: value, AFTER: "2" });
  expect(readSettingsFile(path)).toEqual({ BEFORE: "1", VALUE: value, AFTER: "2" });
});

test.each(["two\nlines", "all 'three' `of` \"them\"", "carriage\rreturn"])("%j cannot be written, and the file stays as it was", (value) => {
  const path = join(folder(), "settings.env");
  writeSettingsFile(path, { KEPT: "1" });
  expect(() => writeSettingsFile(path, { KEPT: "2", VALUE: value })).toThrow(new SettingsError("Cannot write VALUE to a settings file: set it in the environment"));
  expect(readSettingsFile(path)).toEqual({ KEPT: "1" });
});

test("Only the owner may read it, in a folder that only the owner may enter, and nothing else is left there", () => {
  const directory = join(folder(), "data");
  const path = join(directory, "settings.env");
  writeSettingsFile(path, { A: "1" });
  expect([statSync(directory).mode & 0o777, statSync(path).mode & 0o777, readdirSync(directory)]).toEqual([0o700, 0o600, ["settings.env"]]);
});

test("A file that others could read is theirs no more once it was written", () => {
  const path = join(folder(), "settings.env");
  writeFileSync(path, "A=1\n", { mode: 0o644 });
  writeSettingsFile(path, { A: "2" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("Comments and order stay; what is no longer wanted goes", () => {
  const path = join(folder(), "settings.env");
  writeFileSync(path, "# The platform of the tests\nexport A = 1\n\nGONE=x\n  # Why B\nB='2'\n");
  writeSettingsFile(path, { B: "3", A: "1", C: "4" });
  expect(readFileSync(path, "utf8")).toBe("# The platform of the tests\nA=1\n\n  # Why B\nB=3\nC=4\n");
});

test("A value of several lines is not taken for comments", () => {
  const path = join(folder(), "settings.env");
  writeFileSync(path, "A='one\n# two\nB=x'\nB=1\n");
  writeSettingsFile(path, { B: "2" });
  expect(readSettingsFile(path)).toEqual({ B: "2" });
});

test("The environment wins over the file, and an empty value of either says nothing", () => {
  const data = folder();
  writeFileSync(join(data, "settings.env"), "A=file\nB=file\nC=\n");
  expect(told({ GATEHOUSE_DATA: data, A: "environment", B: "", C: "" })).toEqual({ GATEHOUSE_DATA: data, A: "environment", B: "file" });
});

test("Without a folder that is named, the file is in .gatehouse", () => {
  const directory = folder();
  mkdirSync(join(directory, ".gatehouse"));
  writeFileSync(join(directory, ".gatehouse", "settings.env"), "A=1\n");
  expect(told({}, directory)).toEqual({ A: "1" });
  expect(told({}, folder())).toEqual({});
});

test("SETTINGS_FILE names another, which has to be there", () => {
  const path = join(folder(), "other.env");
  writeFileSync(path, "A=1\n");
  expect(told({ SETTINGS_FILE: path })).toMatchObject({ A: "1" });
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", TOLD], { env: { SETTINGS_FILE: `${path}.not` }, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain(`Cannot read the settings file "${path}.not"`);
});
