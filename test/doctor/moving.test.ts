import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownFolder } from "../workers/folder.ts";
import { diagnosis, MINUTE_MS } from "./command.ts";

const PASSWORD = "canary-4Hd8-the-only-password-there-is";
const KEY = "k3yOfTheStore-".repeat(4).slice(0, 43);

test("the first administrator's password that was not shown yet is not to be removed", { timeout: MINUTE_MS }, async () => {
  const folder = ownFolder();
  const settings = { GATEHOUSE_DATA: folder, KAFKA_ADMIN_PASSWORD: "canary-of-the-administrator" };
  writeFileSync(join(folder, "settings.env"), `PROVISION_ADMIN_PASSWORD=${PASSWORD}\nKAFKA_ADMIN_USERNAME=admin\n`, { mode: 0o600 });
  const { having, text, exit } = await diagnosis(settings);
  expect(having("settings", "unknown")).toEqual([]);
  expect(having("settings", "unshown")).toMatchObject([{ status: "warning", sentence: expect.stringContaining("PROVISION_ADMIN_PASSWORD"), remedy: expect.stringMatching(/`npm run provision`.*shows it once/) }]);
  expect(having("settings", "administrators").map(({ sentence }) => sentence.split(" ")[0])).toEqual(["KAFKA_ADMIN_PASSWORD", "KAFKA_ADMIN_USERNAME"]);
  expect(text).not.toContain("canary");
  expect(exit).toBe(0);
});

test("what opens the embedded store is to be kept while there is something to export", { timeout: MINUTE_MS }, async () => {
  const folder = ownFolder();
  const settings = { GATEHOUSE_DATA: folder, SECRETS_URL: "http://127.0.0.1:2", SECRETS_KEY: KEY, IDENTITY_URL: "http://127.0.0.1:2", ADMIN_PASSWORD: "Correct-Horse-1-Admin" };
  const without = await diagnosis(settings);
  expect(without.having("settings", "pointless").map(({ sentence, remedy }) => `${sentence}: ${remedy}`)).toEqual([
    expect.stringMatching(/^SECRETS_KEY .*before an export/),
    expect.stringMatching(/^ADMIN_PASSWORD .*`npm run provision`/),
  ]);
  mkdirSync(join(folder, "postgres", "data"), { recursive: true, mode: 0o700 });
  const before = await diagnosis(settings);
  expect(before.having("settings", "pointless").map(({ sentence }) => sentence.split(" ")[0])).toEqual(["ADMIN_PASSWORD"]);
});
