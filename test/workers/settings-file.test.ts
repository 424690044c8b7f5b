import { execFileSync, spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettingsFile, writeSettingsFile } from "../../workers/settings-file.ts";
import { SettingsError } from "../../src/env.ts";
import { PLATFORM, runToEnd, worker } from "../command.ts";
import { ownFolder } from "./folder.ts";

const MODULE = new URL("../../workers/settings-file.ts", import.meta.url).href;
const TOLD = `import { processEnvironment } from ${JSON.stringify(MODULE)}; console.log(JSON.stringify(processEnvironment()));`;

/** What a process is told that has nothing in its environment but `environment`. */
function told(environment: Record<string, string>, cwd = ownFolder()): Record<string, string> {
  const env = { PATH: process.env["PATH"], ...environment };
  const { PATH: _, ...rest } = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", TOLD], { cwd, env, encoding: "utf8" })) as Record<string, string>;
  return rest;
}

const ODD = [
  "plain", "with spaces", " around ", "a#b", "# not a comment", 'say "hi"', "it's", "`tick`", "a=b=c", "$HOME ${HOME}", "\\n is not a line", "back\\slash", "tab\there", "ümläut 🔑", "postgres://u:p%40ss@h:5432/d?sslmode=require&x='y'",
  "export A=b", "{\"kafka-ops\":[\"ROLE_TOPICS\"]}",
];

test.each(ODD)("%j is read back as it was written", (value) => {
  const path = join(ownFolder(), "settings.env");
  writeSettingsFile(path, { BEFORE: "1", VALUE: value, AFTER: "2" });
  expect(readSettingsFile(path)).toEqual({ BEFORE: "1", VALUE: value, AFTER: "2" });
});

test.each(["two\nlines", "all 'three' `of` \"them\"", "carriage\rreturn"])("%j cannot be written, and the file stays as it was", (value) => {
  const path = join(ownFolder(), "settings.env");
  writeSettingsFile(path, { KEPT: "1" });
  expect(() => writeSettingsFile(path, { KEPT: "2", VALUE: value })).toThrow(new SettingsError("Cannot write VALUE to a settings file: set it in the environment"));
  expect(readSettingsFile(path)).toEqual({ KEPT: "1" });
});

test("Only the owner may read it, in a folder that only the owner may enter, and nothing else is left there", () => {
  const directory = join(ownFolder(), "data");
  const path = join(directory, "settings.env");
  writeSettingsFile(path, { A: "1" });
  expect([statSync(directory).mode & 0o777, statSync(path).mode & 0o777, readdirSync(directory)]).toEqual([0o700, 0o600, ["settings.env"]]);
});

test("A file that others could read is theirs no more once it was written", () => {
  const path = join(ownFolder(), "settings.env");
  writeFileSync(path, "A=1\n", { mode: 0o644 });
  writeSettingsFile(path, { A: "2" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("What a link leads to is written, and the link stays", () => {
  const [folder, elsewhere] = [ownFolder(), ownFolder()];
  const [path, target] = [join(folder, "settings.env"), join(elsewhere, "mounted.env")];
  writeFileSync(target, "# Mounted\nA=1\n", { mode: 0o644 });
  symlinkSync(target, path);
  writeSettingsFile(path, { A: "2" });
  expect([readFileSync(target, "utf8"), statSync(target).mode & 0o777, lstatSync(path).isSymbolicLink()]).toEqual(["# Mounted\nA=2\n", 0o600, true]);
  expect([readdirSync(folder), readdirSync(elsewhere)]).toEqual([["settings.env"], ["mounted.env"]]);
});

test("Comments and order stay; what is no longer wanted goes", () => {
  const path = join(ownFolder(), "settings.env");
  writeFileSync(path, "# The platform of the tests\nexport A = 1\n\nGONE=x\n  # Why B\nB='2'\n");
  writeSettingsFile(path, { B: "3", A: "1", C: "4" });
  expect(readFileSync(path, "utf8")).toBe("# The platform of the tests\nA=1\n\n  # Why B\nB=3\nC=4\n");
});

test("A value of several lines is not taken for comments", () => {
  const path = join(ownFolder(), "settings.env");
  writeFileSync(path, "A='one\n# two\nB=x'\nB=1\n");
  writeSettingsFile(path, { B: "2" });
  expect(readSettingsFile(path)).toEqual({ B: "2" });
});

const READ = ["A=1", "export A=1", "  export  A = 1", "A=", "A=1 # why", "# A", "   # A", "A='1' # why", "A='one\n two\n#three'", 'A="one\n\nB two"', "A=`x\ny`", "A='no end", "A=1\r", "a.b-c=1", ""];

test.each(READ)("%j is read", (text) => {
  const path = join(ownFolder(), "settings.env");
  writeFileSync(path, `FIRST=1\n${text}\nLAST=1\n`);
  expect(readSettingsFile(path)).toMatchObject({ FIRST: "1", LAST: "1" });
});

test.each(["KAFKA_TLS on", "export", "export KAFKA_TLS", "KAFKA TLS=on", "=on", "KAFKA_TLS: on", "'KAFKA_TLS=on'", "\uFEFFKAFKA_TLS=on"])("%j says nothing, and the file is not read", (text) => {
  const path = join(ownFolder(), "settings.env");
  writeFileSync(path, `FIRST='1\n'\n# why\n${text}\nLAST=1\n`);
  expect(() => readSettingsFile(path)).toThrow(new SettingsError(`Cannot read the settings file "${path}": no NAME=value in line 4`));
});

test("Each line that says nothing is named, and not what is in it", () => {
  const path = join(ownFolder(), "settings.env");
  writeFileSync(path, "one\r\nA='x\r\ny'\r\ntwo\r\n");
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", TOLD], { env: { SETTINGS_FILE: path }, encoding: "utf8" });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`Cannot read the settings file "${path}": no NAME=value in line 1, 4`);
  expect(stderr).not.toMatch(/\btwo\b/);
});

test.each([["the platform", PLATFORM], ["provision", worker("provision")]] as const)("Of a line that says nothing, %s says so and does not start", { timeout: 60_000 }, async (_, command) => {
  const data = ownFolder();
  const path = join(data, "settings.env");
  writeFileSync(path, "REDIS_URL=redis://127.0.0.1:2\nKAFKA_TLS on\n");
  const { code, output } = await runToEnd(command, { GATEHOUSE_DATA: data });
  expect({ code, output: output.trim() }).toEqual({ code: 1, output: expect.stringContaining(`Cannot read the settings file "${path}": no NAME=value in line 2`) });
  expect(output).not.toContain("KAFKA_TLS on");
  expect(readdirSync(data)).toEqual(["settings.env"]);
});

test("The environment wins over the file, and an empty value of either says nothing", () => {
  const data = ownFolder();
  writeFileSync(join(data, "settings.env"), "A=file\nB=file\nC=\n");
  expect(told({ GATEHOUSE_DATA: data, A: "environment", B: "", C: "" })).toEqual({ GATEHOUSE_DATA: data, A: "environment", B: "file" });
});

test("Without a folder that is named, the file is in .gatehouse", () => {
  const directory = ownFolder();
  mkdirSync(join(directory, ".gatehouse"));
  writeFileSync(join(directory, ".gatehouse", "settings.env"), "A=1\n");
  expect(told({}, directory)).toEqual({ A: "1" });
  expect(told({}, ownFolder())).toEqual({});
});

test("SETTINGS_FILE names another, which has to be there", () => {
  const path = join(ownFolder(), "other.env");
  writeFileSync(path, "A=1\n");
  expect(told({ SETTINGS_FILE: path })).toMatchObject({ A: "1" });
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", TOLD], { env: { SETTINGS_FILE: `${path}.not` }, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain(`Cannot read the settings file "${path}.not"`);
});
