import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PLATFORM, runToEnd, type Settings } from "../command.ts";
import { ownFolder } from "./folder.ts";

const LIMIT_MS = 120_000;
const AWAY = "http://127.0.0.1:1";
const REAL = { DATABASE_URL: "postgres://user:canary@127.0.0.1:1/app", IDENTITY_URL: AWAY, SECRETS_URL: AWAY };
const CLIENTS = ["USER", "AUTH", "ADMIN"].map((name) => `${name}_SERVICE_CLIENT_SECRET`);
const APPROLES = ["ADMIN_SERVICE", "CONFIG_SERVER"].flatMap((name) => [`${name}_ROLE_ID`, `${name}_SECRET_ID`]);

/** The lines that a start says, sorted, and what it has left in its folder. */
async function refused(settings: Settings) {
  const data = ownFolder();
  const { code, output } = await runToEnd(PLATFORM, { GATEHOUSE_DATA: data, ...settings });
  // What is logged on the way is JSON.
  const [title, ...lines] = output.trimEnd().split("\n").filter((line) => !line.startsWith("{"));
  return { code, title, mistakes: lines.filter((line) => line.startsWith("  ")).toSorted(), advice: lines.filter((line) => !line.startsWith("  ")), made: readdirSync(data) };
}

const needed = (names: string[]) => names.map((name) => `  ${name}: Is needed`).toSorted();
const TITLE = "Cannot start with these settings:";
const ADVICE = ["Run `npm run provision`, or set them"];

test("A start on real systems that were not provisioned names everything that is missing and how to get it, and touches nothing", async () => {
  expect(await refused(REAL)).toEqual({ code: 1, title: TITLE, mistakes: needed([...CLIENTS, ...APPROLES]), advice: ADVICE, made: [] });
}, LIMIT_MS);

test("What is wrong with the process and with its services is named together, each once", async () => {
  const { mistakes, advice, made } = await refused({ ...REAL, SERVICES: "users,auth", GATEWAY_PORT: "eighty", LOGIN_GUARD_KEY: "short", TOKEN_TIMEOUT_MS: "soon" });
  const wrong = ["  GATEWAY_PORT: Use a port number", "  LOGIN_GUARD_KEY: Use at least 32 characters", "  TOKEN_TIMEOUT_MS: Use a number of milliseconds"];
  expect({ mistakes, advice, made }).toEqual({ mistakes: [...wrong, ...needed(["USER_SERVICE_CLIENT_SECRET", "AUTH_SERVICE_CLIENT_SECRET"])].toSorted(), advice: ADVICE, made: [] });
}, LIMIT_MS);

test("What no provisioning would give is not sent there", async () => {
  expect(await refused({ LOGIN_GUARD_KEY: "short" })).toEqual({ code: 1, title: TITLE, mistakes: ["  LOGIN_GUARD_KEY: Use at least 32 characters"], advice: [], made: [] });
}, LIMIT_MS);

test("What the operator's own folder of configuration has is not missing, and what it has not is named at once", async () => {
  const folder = ownFolder();
  writeFileSync(join(folder, "user-service.yml"), "user-service:\n  client-secret: of-the-user-service\n");
  const settings = { IDENTITY_URL: AWAY, CONFIG_DIR: folder };
  const { mistakes, advice } = await refused(settings);
  expect({ mistakes, advice }).toEqual({ mistakes: needed(["AUTH_SERVICE_CLIENT_SECRET", "ADMIN_SERVICE_CLIENT_SECRET"]), advice: ADVICE });
}, LIMIT_MS);

test("No service takes a realm of its own from the configuration", async () => {
  const folder = ownFolder();
  writeFileSync(join(folder, "gateway.yml"), "identity:\n  realm: another\n");
  const title = 'Cannot take the realm of "gateway" from the configuration: set IDENTITY_REALM in the environment, for all services';
  expect(await refused({ SERVICES: "gateway,config", CONFIG_DIR: folder, IDENTITY_URL: AWAY, SECRETS_URL: AWAY, CONFIG_SERVER_ROLE_ID: "role", CONFIG_SERVER_SECRET_ID: "secret" })).toMatchObject({ code: 1, title, mistakes: [] });
}, LIMIT_MS);
