import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bundledConfiguration } from "../../src/config/bundled.ts";
import { bundledFiles } from "../../src/config/files.ts";
import { readConfiguration } from "../../src/properties/read-configuration.ts";
import { serviceSettings } from "../../src/settings/services.ts";
import { configInstance } from "./instance.ts";

const FOLDER = new URL("../../configuration/", import.meta.url);
const SCHEMAS = {
  "user-service": serviceSettings.users,
  "auth-service": serviceSettings.auth,
  "admin-service": serviceSettings.admin,
  "discovery-service": serviceSettings.discovery,
  "gateway": serviceSettings.gateway,
  "config-server": serviceSettings.config,
};

test("what is bundled are the files of the folder", () => {
  const files = readdirSync(FOLDER).filter((name) => name !== "bundle.ts");
  // If not: `node configuration/bundle.ts`.
  expect(bundledConfiguration).toEqual(Object.fromEntries(files.map((name) => [name, readFileSync(new URL(name, FOLDER), "utf8")])));
});

test.for(Object.entries(SCHEMAS))("%s is told settings that there are, at their defaults", async ([application, schema]) => {
  const { call } = configInstance({ files: bundledFiles(bundledConfiguration) });
  const told = await readConfiguration({ url: "http://config.test", application, profiles: [], fetch: ({ url }) => call(new URL(url).pathname), now: Date.now });
  const shape = (schema as { shape: Record<string, { safeParse: (value: unknown) => { success: boolean; data?: unknown } }> }).shape;
  const own = Object.entries(told).filter(([name]) => name in shape);
  const known = new Set(Object.values(SCHEMAS).flatMap((one) => Object.keys((one as unknown as { shape: object }).shape)));
  expect(Object.keys(told).filter((name) => !known.has(name))).toEqual([]);
  expect(own.map(([name, value]) => [name, shape[name]?.safeParse(value).data])).toEqual(own.map(([name]) => [name, shape[name]?.safeParse(undefined).data]));
});
