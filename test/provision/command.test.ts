import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { openInstallation } from "../../workers/data.ts";
import { listenOnNode } from "../../workers/listen-node.ts";
import { lockFile } from "../../workers/lock.ts";
import { embeddedUnderTest, type EmbeddedUnderTest } from "../broker/embedded.ts";
import type { Settings } from "../command.ts";
import { ownFolder } from "../workers/folder.ts";
import { changesIn, keptIn, provision, SHARED } from "./command.ts";

let broker: EmbeddedUnderTest;
let listening: { port: number; close: () => Promise<void> };
beforeAll(async () => {
  broker = await embeddedUnderTest();
  listening = await listenOnNode((request) => broker.fetch(request), { host: "127.0.0.1", port: 0 });
});
beforeEach(() => broker.database.reset());
afterAll(async () => {
  await listening.close();
  await broker.close();
});

function settings(more: Settings = {}): Settings {
  const { username = "", password = "" } = broker.credentials ?? {};
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  return { GATEHOUSE_DATA: ownFolder(), BROKER_URL: `http://127.0.0.1:${listening.port}`, BROKER_AUTHORIZATION: authorization, ...more };
}

const fileOf = ({ GATEHOUSE_DATA: data = "" }: Settings) => join(data, "settings.env");

async function ask(line: string, body?: unknown): Promise<any> {
  const [method = "", path = ""] = line.split(" ");
  const { BROKER_URL: url, BROKER_AUTHORIZATION: authorization = "" } = settings();
  const clusters = await fetch(`${url}/v3/clusters`, { headers: { authorization } });
  const { data } = (await clusters.json()) as { data: { cluster_id: string }[] };
  const headers = { authorization, "content-type": "application/json" };
  const answer = await fetch(`${url}/v3/clusters/${data[0]?.cluster_id}/${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return text === "" ? undefined : JSON.parse(text);
}

const topics = async () => (await ask("GET topics")).data.map(({ topic_name, partitions_count }: Record<string, unknown>) => [topic_name, partitions_count]).toSorted();
const retention = async (topic: string) => (await ask(`GET topics/${topic}/configs/retention.ms`)).value;
const DAYS_30 = String(30 * 24 * 3600_000);

test("A trial shows what would be done, and does nothing", async () => {
  const told = settings();
  const { code, output } = await provision(told, "--dry-run");
  expect([code, await topics(), existsSync(fileOf(told))]).toEqual([0, [], false]);
  expect(output).toContain('Make the topic "platform.users" with 3 partitions');
});

test("Without somebody who agrees, nothing is done", async () => {
  const told = settings();
  const { code, output } = await provision(told);
  expect([code, await topics(), existsSync(fileOf(told))]).toEqual([2, [], false]);
  expect(output).toContain("Nothing was changed");
});

test("What is missing is made, where it is is kept for the owner alone, and then there is nothing to do", async () => {
  const told = settings({ SECRETS_ADMIN_TOKEN: "canary-token", IDENTITY_ADMIN_PASSWORD: "canary-password", KAFKA_ADMIN_PASSWORD: "canary-kafka" });
  const { code, output } = await provision(told, "--yes");
  expect([code, await topics()]).toEqual([0, [["platform.audit", 3], ["platform.users", 3]]]);
  expect([await retention("platform.users"), await retention("platform.audit")]).toEqual([DAYS_30, DAYS_30]);
  expect(keptIn(fileOf(told))).toEqual({ ...SHARED, BROKER_URL: told["BROKER_URL"], BROKER_AUTHORIZATION: told["BROKER_AUTHORIZATION"] });
  expect(statSync(fileOf(told)).mode & 0o777).toBe(0o600);
  expect(output).not.toMatch(/canary|Basic/);
  // By the file alone, as whoever comes later runs it.
  const again = await provision({ GATEHOUSE_DATA: told["GATEHOUSE_DATA"]! }, "--yes");
  expect(again).toEqual({ code: 0, output: "Nothing to do.\n" });
});

test("A topic that is there is not made, and keeps its events as long as the platform's would", async () => {
  await ask("POST topics", { topic_name: "platform.users", partitions_count: 5 });
  const ran = await provision(settings(), "--yes");
  expect([ran.code, await topics(), await retention("platform.users")]).toEqual([0, [["platform.audit", 3], ["platform.users", 5]], DAYS_30]);
  expect(changesIn(ran)[0]).toBe('Let the topic "platform.users" keep its events for 30 days instead of 7 days');
});

test("What somebody has chosen is left alone and said, and changed when it is to be adopted", async () => {
  for (const topic of ["platform.users", "platform.audit"]) {
    await ask("POST topics", { topic_name: topic, partitions_count: 3, configs: [{ name: "retention.ms", value: topic === "platform.users" ? "86400000" : "-1" }] });
  }
  const told = settings();
  const { code, output } = await provision(told, "--yes");
  expect([code, await retention("platform.users"), await retention("platform.audit")]).toEqual([3, "86400000", "-1"]);
  expect((await provision(told, "--dry-run")).code).toBe(3);
  expect(output).toContain('The topic "platform.users" keeps its events for 1 days instead of 30 days');
  expect((await provision(told, "--yes", "--adopt")).code).toBe(0);
  expect([await retention("platform.users"), await retention("platform.audit")]).toEqual([DAYS_30, "-1"]);
});

test("Fewer partitions are left, with or without --adopt: more would break the order of each user's events", async () => {
  await ask("POST topics", { topic_name: "platform.users", partitions_count: 1, configs: [{ name: "retention.ms", value: "-1" }] });
  const { code, output } = await provision(settings(), "--yes", "--adopt");
  expect([code, await topics()]).toEqual([0, [["platform.audit", 3], ["platform.users", 1]]]);
  expect(output).toContain('The topic "platform.users" has 1 partitions instead of 3');
});

test("The settings file is named by SETTINGS_FILE, and what it had stays", async () => {
  const told = settings({ SETTINGS_FILE: join(ownFolder(), "deep", "platform.env") });
  const file = told["SETTINGS_FILE"]!;
  expect((await provision(told, "--yes")).code).toBe(0);
  writeFileSync(file, `# Ours\nDISCOVERY_USERNAME='a name with spaces'\n${Object.entries(keptIn(file)).map(([name, value]) => `${name}='${value}'\n`).join("")}`);
  expect((await provision({ ...told, BROKER_AUTHORIZATION: `${told["BROKER_AUTHORIZATION"]} ` }, "--yes")).code).toBe(0);
  expect(keptIn(file)).toMatchObject({ DISCOVERY_USERNAME: "a name with spaces", BROKER_AUTHORIZATION: `${told["BROKER_AUTHORIZATION"]} ` });
});

test("What instances have to share is kept with the settings: what this installation has, else new, and never over what is there", async () => {
  const told = settings();
  const file = fileOf(told);
  const { LOGIN_GUARD_KEY, WEBHOOK_KEY, DISCOVERY_PASSWORD, CONFIG_PASSWORD } = openInstallation(told["GATEHOUSE_DATA"]!);
  const trial = await provision(told, "--dry-run");
  expect([existsSync(file), changesIn(trial)]).toEqual([false, expect.arrayContaining([`Keep this installation's LOGIN_GUARD_KEY, WEBHOOK_KEY, DISCOVERY_PASSWORD and CONFIG_PASSWORD in "${file}", for every instance`])]);
  expect((await provision(told, "--yes")).code).toBe(0);
  expect(keptIn(file)).toMatchObject({ LOGIN_GUARD_KEY, WEBHOOK_KEY, DISCOVERY_PASSWORD, CONFIG_PASSWORD });

  const other = settings();
  writeFileSync(fileOf(other), "LOGIN_GUARD_KEY=the-operators-own-key-of-32-characters\nDISCOVERY_PASSWORD=of-the-operator\n");
  const ran = await provision({ ...other, LOGIN_GUARD_KEY: "another-one-in-the-environment-of-this-run", DISCOVERY_PASSWORD: "another" }, "--yes");
  expect(changesIn(ran)).toContain(`Make WEBHOOK_KEY and CONFIG_PASSWORD, kept in "${fileOf(other)}" for every instance`);
  const made = expect.stringMatching(/^[\w-]{43}$/);
  expect(keptIn(fileOf(other))).toMatchObject({ LOGIN_GUARD_KEY: "the-operators-own-key-of-32-characters", WEBHOOK_KEY: made, DISCOVERY_PASSWORD: "of-the-operator", CONFIG_PASSWORD: made });
  expect(keptIn(fileOf(other))["WEBHOOK_KEY"]).not.toBe(WEBHOOK_KEY);
  for (const { output } of [trial, ran]) for (const secret of Object.keys(SHARED)) expect(output).not.toContain(keptIn(fileOf(other))[secret]);

  const told3 = settings({ WEBHOOK_KEY: "k".repeat(43) });
  expect((await provision(told3, "--yes")).code).toBe(0);
  expect(keptIn(fileOf(told3))["WEBHOOK_KEY"]).toBe("k".repeat(43));
});

test("A broker of the environment is in the place of the file's, which is shown", async () => {
  const told = settings();
  const file = fileOf(told);
  writeFileSync(file, "# Ours\nKAFKA_BROKERS=127.0.0.1:1\nKAFKA_USERNAME=app\nKAFKA_PASSWORD=canary\nLOG_FORMAT=json\n");
  const before = readFileSync(file, "utf8");
  const trial = await provision(told, "--dry-run");
  expect([trial.code, readFileSync(file, "utf8")]).toEqual([0, before]);
  const ran = await provision(told, "--yes");
  expect(ran.code, ran.output).toBe(0);
  for (const one of [trial, ran]) expect(changesIn(one).at(-1)).toBe(`Keep BROKER_URL, BROKER_AUTHORIZATION in "${file}", and take KAFKA_BROKERS, KAFKA_USERNAME and KAFKA_PASSWORD out of it`);
  expect([keptIn(file), await topics()]).toEqual([{ ...SHARED, LOG_FORMAT: "json", BROKER_URL: told["BROKER_URL"], BROKER_AUTHORIZATION: told["BROKER_AUTHORIZATION"] }, [["platform.audit", 3], ["platform.users", 3]]]);
  expect(await provision({ GATEHOUSE_DATA: told["GATEHOUSE_DATA"]! }, "--dry-run")).toEqual({ code: 0, output: "Nothing to do.\n" });
});

test("Of two brokers that the file has, the environment says which one stays; without it, both are refused", async () => {
  const { BROKER_URL: url = "", ...told } = settings();
  const file = fileOf(told);
  writeFileSync(file, `BROKER_URL=${url}\nKAFKA_BROKERS=127.0.0.1:1\n`);
  const refused = await provision(told, "--yes");
  expect([refused.code, refused.output, await topics()]).toEqual([1, "Cannot use two brokers: set BROKER_URL or KAFKA_BROKERS, not both\n", []]);
  const ran = await provision({ ...told, BROKER_URL: url }, "--yes");
  expect([ran.code, keptIn(file)]).toEqual([0, { ...SHARED, BROKER_URL: url, BROKER_AUTHORIZATION: told["BROKER_AUTHORIZATION"] }]);
});

test.each<[what: string, settings: Settings, flags: string[], says: string]>([
  ["no system", {}, [], "Cannot provision: set one of IDENTITY_URL"],
  ["a flag there is not", { DATABASE_URL: "postgres://a" }, ["--force"], "Unknown option '--force'"],
  ["a setting that cannot be", { IDENTITY_URL: "ftp://a" }, [], "IDENTITY_URL: Use an http or https URL"],
  ...["IDENTITY_URL", "SECRETS_URL", "BROKER_URL", "UPSTASH_REDIS_REST_URL"].map((name): [string, Settings, string[], string] => [
    `${name} with a password in it`, { [name]: "http://u:canary@127.0.0.1:1" }, [], `${name}: Use a URL without a user name and a password in it`,
  ]),
  ["a Redis whose password cannot be decoded", { REDIS_URL: "redis://:canary%zz@127.0.0.1:1" }, [], 'REDIS_URL: Write "%" in the user name and the password as "%25"'],
  ["the realm of Keycloak's own administrators", { IDENTITY_URL: "http://127.0.0.1:1", IDENTITY_REALM: "master", IDENTITY_ADMIN_USERNAME: "admin", IDENTITY_ADMIN_PASSWORD: "canary" }, ["--adopt"], 'Cannot use the realm "master"'],
  ["two brokers", { BROKER_URL: "http://127.0.0.1:1", KAFKA_BROKERS: "127.0.0.1:1" }, [], "Cannot use two brokers: set BROKER_URL or KAFKA_BROKERS, not both"],
  ["two that count", { REDIS_URL: "redis://127.0.0.1:1", UPSTASH_REDIS_REST_URL: "http://127.0.0.1:1" }, [], "Cannot count in two places: set REDIS_URL or UPSTASH_REDIS_REST_URL, not both"],
  ["half of Kafka's administrator", { KAFKA_BROKERS: "127.0.0.1:1", KAFKA_ADMIN_USERNAME: "canary" }, [], "Cannot use one of KAFKA_ADMIN_USERNAME and KAFKA_ADMIN_PASSWORD without the other"],
  ["no credentials of the identity provider", { IDENTITY_URL: "http://127.0.0.1:1" }, [], "Cannot provision without IDENTITY_ADMIN_USERNAME"],
  ["no token of the secrets store", { SECRETS_URL: "http://127.0.0.1:1" }, [], "Cannot provision without SECRETS_ADMIN_TOKEN"],
  ["an identity provider that is not there", { IDENTITY_URL: "http://127.0.0.1:1", IDENTITY_ADMIN_USERNAME: "admin", IDENTITY_ADMIN_PASSWORD: "canary" }, [], 'Cannot reach the identity provider at "http://127.0.0.1:1"'],
  ["a secrets store that is not there", { SECRETS_URL: "http://127.0.0.1:1", SECRETS_ADMIN_TOKEN: "canary" }, [], 'Cannot reach the secrets store at "http://127.0.0.1:1"'],
  ["a broker that is not there", { BROKER_URL: "http://127.0.0.1:1", BROKER_AUTHORIZATION: "canary" }, [], 'Cannot reach the broker at "http://127.0.0.1:1"'],
  ["a Kafka that is not there", { KAFKA_BROKERS: "127.0.0.1:1" }, [], 'at the broker "127.0.0.1:1"'],
  ["a database that is not there", { DATABASE_URL: "postgres://app:canary@127.0.0.1:1/app" }, [], 'Cannot reach the database at "127.0.0.1:1"'],
  ["a Redis that is not there", { REDIS_URL: "redis://:canary@127.0.0.1:1" }, [], 'Cannot reach the Redis at "127.0.0.1:1"'],
  ["an Upstash that is not there", { UPSTASH_REDIS_REST_URL: "http://127.0.0.1:1", UPSTASH_REDIS_REST_TOKEN: "canary" }, [], 'Cannot reach the Redis at "http://127.0.0.1:1"'],
])("%s is one sentence, and nothing is written", async (_, told, flags, says) => {
  const data = ownFolder();
  const { code, output } = await provision({ GATEHOUSE_DATA: data, ...told }, "--dry-run", ...flags);
  expect([code, existsSync(join(data, "settings.env"))]).toEqual([1, false]);
  expect(output).toContain(says);
  expect(output).not.toContain("canary");
});

test("Beside another run it does nothing, and says why", async () => {
  const told = settings();
  const unlock = lockFile(`${fileOf(told)}.lock`)!;
  onTestFinished(unlock);
  expect(await provision(told, "--yes")).toEqual({ code: 1, output: `Cannot provision: another run is writing "${fileOf(told)}"\n` });
});

test("A broker that does not take the credentials says so", async () => {
  const { code, output } = await provision(settings({ BROKER_AUTHORIZATION: "Basic canary" }), "--yes");
  expect([code, await topics()]).toEqual([1, []]);
  expect(output).toContain("it answered 401, so the credentials given have not the right");
  expect(output).not.toContain("canary");
});
