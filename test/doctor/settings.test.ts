import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openInstallation } from "../../workers/data.ts";
import { ownFolder } from "../workers/folder.ts";
import { diagnosis, MINUTE_MS, visit } from "./command.ts";

const CANARY = "canary-7Qx2-9fLm-never-to-be-shown";

test("a platform that nobody has set up is fine, and stays as it is", { timeout: MINUTE_MS }, async () => {
  const folder = ownFolder();
  const { exit, document, faults, of } = await diagnosis({ GATEHOUSE_DATA: join(folder, "data") });
  expect(faults).toEqual([]);
  expect(exit).toBe(0);
  expect(document).toMatchObject({ version: 1, status: "ok", counts: { error: 0, warning: 0 } });
  for (const system of ["database", "identity", "secrets", "broker"]) expect(of(system)).toMatchObject([{ code: "embedded", status: "ok" }]);
  expect(existsSync(join(folder, "data"))).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test("all mistakes are named at once, each with what mends it", { timeout: MINUTE_MS }, async () => {
  const folder = ownFolder();
  writeFileSync(join(folder, "settings.env"), "SECRETS_URL=http://127.0.0.1:2\nDATABSE_URL=postgres://a@b/c\nCOLOUR=blue\nSECRETS_ADMIN_TOKEN=x\n", { mode: 0o600 });
  const { exit, having } = await diagnosis({
    GATEHOUSE_DATA: folder,
    DATABASE_URL: "mysql://user:secret-of-mine@host/db",
    GATEWAY_PORT: "eighty",
    USERS_PORT: "9001",
    AUTH_PORT: "9001",
    IDENTIY_URL: "http://127.0.0.1:2",
    PERMISSIONS: "{",
    CONFIG_DIR: join(folder, "nowhere"),
    REDIS_URL: "redis://127.0.0.1:2",
    UPSTASH_REDIS_REST_URL: "http://127.0.0.1:2",
    KAFKA_SASL_MECHANISM: "plain",
    ADMIN_PASSWORD: "Correct-Horse-1-Admin",
    METRICS_TOKEN: "the-same-value-twice",
    CONFIG_PASSWORD: "the-same-value-twice",
    DISCOVERY_PASSWORD: "changeme",
    LOGIN_GUARD_KEY: "a".repeat(32),
  });
  expect(exit).toBe(1);
  const remedies = (code: string) => having("settings", code).map(({ remedy }) => remedy);
  expect(having("settings", "invalid").map(({ sentence }) => sentence).toSorted()).toEqual(["CONFIG_DIR", "DATABASE_URL", "GATEWAY_PORT", "PERMISSIONS"].map((name) => `${name} is not valid`));
  expect(remedies("invalid")).toContain("DATABASE_URL, in the environment: Use a postgres:// URL with one host");
  const credentials = ["ADMIN_SERVICE_ROLE_ID", "ADMIN_SERVICE_SECRET_ID", "CONFIG_SERVER_ROLE_ID", "CONFIG_SERVER_SECRET_ID"];
  expect(having("settings", "missing").map(({ sentence }) => sentence).toSorted()).toEqual(credentials.map((name) => `${name} is needed`));
  expect(remedies("missing").join()).toContain("vault read -field=role_id auth/approle/role/admin-service/role-id");
  expect(having("settings", "typo").map(({ sentence }) => sentence)).toEqual(["IDENTIY_URL is no setting, but IDENTITY_URL is", "DATABSE_URL is no setting, but DATABASE_URL is"]);
  expect(having("settings", "unknown")).toMatchObject([{ sentence: expect.stringContaining("COLOUR") }]);
  expect(having("settings", "administrators")).toMatchObject([{ status: "warning", sentence: expect.stringContaining("SECRETS_ADMIN_TOKEN"), remedy: expect.stringContaining("npm run import") }]);
  expect(having("settings", "same-port")).toMatchObject([{ sentence: "AUTH_PORT and USERS_PORT are both 9001" }]);
  expect(having("settings", "conflict")).toMatchObject([{ remedy: "Unset REDIS_URL or UPSTASH_REDIS_REST_URL" }]);
  expect(having("settings", "incomplete").map(({ sentence }) => sentence)).toEqual(["UPSTASH_REDIS_REST_URL is given without UPSTASH_REDIS_REST_TOKEN", "KAFKA_SASL_MECHANISM is given without KAFKA_USERNAME"]);
  expect(having("settings", "pointless")).toMatchObject([{ sentence: expect.stringContaining("KAFKA_SASL_MECHANISM") }]);
  expect(having("settings", "shared")).toMatchObject([{ sentence: expect.stringMatching(/METRICS_TOKEN and CONFIG_PASSWORD|CONFIG_PASSWORD and METRICS_TOKEN/) }]);
  expect(having("settings", "guessable").map(({ sentence }) => sentence)).toEqual(["DISCOVERY_PASSWORD is what everybody tries first", "LOGIN_GUARD_KEY is what everybody tries first"]);
});

test("a name that begins like a setting, or is one of four letters with a slip, is told the one that was meant", { timeout: MINUTE_MS }, async () => {
  const folder = ownFolder();
  writeFileSync(join(folder, "settings.env"), "TOKEN_TIMEOUT=1\nRATE_LIMIT_PER_MIN=1\nHOTS=::\nDATABASE=x\nHOSTNAME=x\nABC=x\nRED=x\n", { mode: 0o600 });
  const { having } = await diagnosis({ GATEHOUSE_DATA: folder, HOSTNAME: "container", DATABASE: "of another program" });
  const meant = having("settings", "typo").map(({ sentence }) => sentence.replace(" is no setting, but ", " > ").replace(/ is$/, ""));
  expect(meant).toEqual(["DATABASE > DATABASE_URL", "HOSTNAME > HOST", "HOTS > HOST", "RATE_LIMIT_PER_MIN > RATE_LIMIT_PER_MINUTE", "TOKEN_TIMEOUT > TOKEN_TIMEOUT_MS"]);
  expect(having("settings", "unknown").map(({ sentence }) => sentence.split(" ")[0])).toEqual(["ABC", "RED"]);
});

test("lines of the settings file that say nothing are errors, and what the others say is looked at", { timeout: MINUTE_MS }, async () => {
  const folder = ownFolder();
  writeFileSync(join(folder, "settings.env"), `# Kafka\nKAFKA_TLS ${CANARY}\nGATEWAY_PORT=eighty\n\n${CANARY}\n`, { mode: 0o600 });
  const { exit, having, text } = await diagnosis({ GATEHOUSE_DATA: folder });
  expect(exit).toBe(1);
  expect(having("settings", "line-odd").map(({ sentence }) => sentence)).toEqual([2, 5].map((line) => `Line ${line} of ${join(folder, "settings.env")} is not NAME=value`));
  expect(having("settings", "file-unreadable")).toEqual([]);
  expect(having("settings", "read")).toEqual([]);
  expect(having("settings", "invalid")).toMatchObject([{ sentence: "GATEWAY_PORT is not valid" }]);
  expect(text).not.toContain(CANARY);
});

test("what others can read of the secrets is said", { timeout: MINUTE_MS }, async () => {
  const folder = join(ownFolder(), "data");
  openInstallation(folder);
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "secrets.json"), 0o644);
  const { exit, having } = await diagnosis({ GATEHOUSE_DATA: folder });
  expect(exit).toBe(1);
  expect(having("settings", "open-file")).toMatchObject([{ status: "error", remedy: `chmod 600 ${join(folder, "secrets.json")}` }]);
  expect(having("settings", "open-directory")).toMatchObject([{ status: "warning", remedy: `chmod 700 ${folder}` }]);
});

test("files that cannot be read are named, and kept as they are", { timeout: MINUTE_MS }, async () => {
  const folder = ownFolder();
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  writeFileSync(join(folder, "data", "secrets.json"), "{ torn", { mode: 0o600 });
  const { exit, having } = await diagnosis({ GATEHOUSE_DATA: join(folder, "data"), SETTINGS_FILE: join(folder, "nowhere.env") });
  expect(exit).toBe(1);
  expect(having("settings", "broken-file")).toHaveLength(1);
  expect(having("settings", "file-unreadable")).toMatchObject([{ sentence: expect.stringContaining("nowhere.env") }]);
  expect(readFileSync(join(folder, "data", "secrets.json"), "utf8")).toBe("{ torn");
  expect(readdirSync(join(folder, "data"))).toEqual(["secrets.json"]);
});

test("what is fit for this machine only is said where others can reach it, and keeps nothing from starting", { timeout: MINUTE_MS }, async () => {
  const settings = { GATEHOUSE_DATA: join(ownFolder(), "data"), HOST: "0.0.0.0", INSTANCE_HOST: "127.0.0.1" };
  const bare = await diagnosis(settings);
  expect(bare.exit).toBe(0);
  expect(bare.faults).toEqual(["settings/no-public-url", "settings/no-metrics-token", "settings/embedded-exposed"]);
  const plain = await diagnosis({
    ...settings,
    PUBLIC_URL: "http://id.invalid",
    METRICS_TOKEN: "0123456789abcdefghij",
    SERVICES: "gateway",
    USERS_URL: "http://users.invalid",
    AUTH_URL: "http://127.0.0.1:2",
    REDIS_URL: "redis://user:a-password-of-16@redis.invalid",
  });
  expect(plain.having("settings", "plain").map(({ remedy }) => remedy)).toEqual(["Use https:// in USERS_URL", "Use rediss:// in REDIS_URL"]);
  expect(plain.having("settings", "public-url-plain")).toHaveLength(1);
  expect(plain.having("services", "public-away")).toMatchObject([{ status: "warning" }]);
  expect(plain.having("services", "neighbour").map(({ sentence }) => sentence.split(":")[0])).toEqual(["User service", "Authentication", "Administration"]);
  expect(plain.exit).toBe(1);
});

test("no secret is in what it writes, whatever is wrong with it", { timeout: MINUTE_MS }, async () => {
  const folder = ownFolder();
  const secret = (name: string) => `${CANARY}-${name}`;
  const settings = {
    GATEHOUSE_DATA: folder,
    DATABASE_URL: `postgres://user:${secret("database")}@127.0.0.1:2/db`,
    REDIS_URL: `redis://:${secret("redis")}@127.0.0.1:2`,
    IDENTITY_URL: "http://127.0.0.1:2",
    USER_SERVICE_CLIENT_SECRET: secret("users"),
    ADMIN_SERVICE_CLIENT_SECRET: secret("admin"),
    SECRETS_URL: "http://127.0.0.1:2",
    ADMIN_SERVICE_ROLE_ID: "role",
    ADMIN_SERVICE_SECRET_ID: secret("approle"),
    BROKER_URL: `http://user:${secret("in-url")}@127.0.0.1:2`,
    BROKER_AUTHORIZATION: secret("authorization"),
    DISCOVERY_URL: `http://eureka:${secret("registry")}@127.0.0.1:2/eureka`,
    CONFIG_URL: `http://config:${secret("config")}@127.0.0.1:2`,
    WEBHOOK_KEY: secret("not-valid"),
    LOGIN_GUARD_KEY: CANARY.slice(0, 20),
    METRICS_TOKEN: `${CANARY} with blanks`,
  };
  writeFileSync(join(folder, "settings.env"), `AUTH_SERVICE_CLIENT_SECRET=${secret("auth")}\n`, { mode: 0o644 });
  const [text, json] = await Promise.all([visit(settings), visit(settings, ["--json"])]);
  for (const { code, out, err } of [text, json]) {
    expect(code).toBe(1);
    expect(out.length).toBeGreaterThan(1000);
    expect(`${out}${err}`).not.toContain(CANARY.slice(0, 12));
  }
});
