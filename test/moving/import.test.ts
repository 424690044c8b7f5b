import { randomUUID } from "node:crypto";
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { embeddedBroker } from "../../src/broker/embedded/app.ts";
import { listenOnNode } from "../../workers/listen-node.ts";
import { client } from "../runtime/client.ts";
import { type EmbeddedUnderTest, embeddedUnderTest } from "../secrets/embedded.ts";
import { ownFolder } from "../workers/folder.ts";
import { countsIn, filesOf, LIMIT_MS, linesOf, query, run, STANDING_STILL, totalOf } from "./commands.ts";
import { filled, ODD } from "./filled.ts";

const data = mkdtempSync(join(tmpdir(), "gatehouse-"));
const out = join(data, "exported");
const SECRET = "/v1/secret/data/platform/user-service/dev";
let store: EmbeddedUnderTest;
let systems: { close: () => Promise<void> }[];
let settings: Record<string, string>;

beforeAll(async () => {
  await filled(data);
  await query({ data }, STANDING_STILL);
  await query({ data }, "INSERT INTO events.given_up VALUES ('audit', 'platform.audit', 0, 4, NULL, 'Cannot read it', now())");
  await run("export", [out], { GATEHOUSE_DATA: data });
  // An embedded store takes no role-id but its own: AppRoles are moved to real ones only.
  writeFileSync(join(out, "approles.jsonl"), "");
  store = await embeddedUnderTest();
  const broker = embeddedBroker({ db: store.database.db, now: Date.now });
  const secrets = await listenOnNode(store.fetch, { host: "127.0.0.1", port: 0 });
  const rest = await listenOnNode((request) => broker.fetch(request), { host: "127.0.0.1", port: 0 });
  systems = [secrets, rest, store];
  settings = { SECRETS_URL: `http://127.0.0.1:${secrets.port}`, SECRETS_ADMIN_TOKEN: store.token, BROKER_URL: `http://127.0.0.1:${rest.port}` };
}, LIMIT_MS);

afterAll(async () => {
  for (const { close } of systems) await close();
  rmSync(data, { recursive: true, force: true });
});

/** Into the embedded secrets store, broker and a database of its own. */
async function imported(to: string, ...flags: string[]) {
  const { code, output } = await run("import", [out, ...flags], { GATEHOUSE_DATA: to, ...settings });
  return { code, output, counts: countsIn(output) };
}

const inStore = (path: string, json?: unknown) => client(settings["SECRETS_URL"]!)(path, { json, headers: { "x-vault-token": store.token } });

async function topics(): Promise<string[]> {
  const broker = client(settings["BROKER_URL"]!);
  const [cluster] = (await broker("/v3/clusters")).body["data"] as { cluster_id: string }[];
  return ((await broker(`/v3/clusters/${cluster?.cluster_id}/topics`)).body["data"] as { topic_name: string }[]).map(({ topic_name: name }) => name);
}

test("A trial counts everything and changes nothing", async () => {
  const to = ownFolder();
  const { code, counts } = await imported(to, "--dry-run");
  expect({ code, ...totalOf(counts) }).toMatchObject({ code: 0, different: 0, failed: 0 });
  expect(counts).toMatchObject({ secrets: { made: 1 }, topics: { made: 3 }, "users.users": { made: 3 } });
  expect(readdirSync(to)).toEqual([]);
  expect((await inStore(SECRET)).status).toBe(404);
  expect(await topics()).not.toContain("orders");
}, LIMIT_MS);

test("Everything is there after an import, and a second one finds it so", async () => {
  const to = ownFolder();
  const first = await imported(to);
  expect({ code: first.code, ...totalOf(first.counts) }).toMatchObject({ code: 0, different: 0, failed: 0 });
  expect(first.counts).toMatchObject({ policies: { made: 1 }, secrets: { made: 1 }, topics: { made: 3 }, "users.users": { made: 3 }, "webhooks.endpoints": { made: 1 } });
  expect(first.output).toContain(`Set LOGIN_GUARD_KEY and WEBHOOK_KEY to what "${join(out, "keys.json")}" says`);
  expect(first.output).not.toContain("canary");

  expect((await inStore(SECRET)).body["data"]).toMatchObject({ data: { "smtp.password": "canary-secret-one", "smtp.user": ODD }, metadata: { version: 2 } });
  expect((await inStore(`${SECRET}?version=1`)).body["data"].data).toEqual({ "smtp.password": "canary-secret-one" });
  expect(await topics()).toContain("orders");

  const again = await imported(to);
  expect({ code: again.code, ...totalOf(again.counts) }).toEqual({ code: 0, made: 0, changed: 0, different: 0, failed: 0, same: totalOf(first.counts).made + totalOf(first.counts).same });

  const back = join(ownFolder(), "back");
  await run("export", [back], { GATEHOUSE_DATA: to });
  const rows = (of: string) => Object.fromEntries(Object.entries(filesOf(of)).filter(([name]) => /^(users|admin|webhooks)\.\w+\.jsonl$|^events\.(handled|revocation)/.test(name)));
  expect(rows(back)).toEqual(rows(out));
}, LIMIT_MS);

test("Consumers begin anew at another broker, and what one of them had not read is sent again", async () => {
  const to = ownFolder();
  await imported(to, "--only", "database");
  const unread = linesOf(out, "events").map(({ id }) => id as string);
  expect(unread.length).toBeGreaterThan(0);
  const positions = await query({ data: to }, "SELECT count(*)::int AS all, count(next_offset)::int AS placed FROM events.positions");
  expect(positions).toEqual([{ all: linesOf(out, "events.positions").length, placed: 0 }]);
  const sent = await query({ data: to }, "SELECT id FROM events.outbox WHERE sent_at IS NOT NULL");
  expect(sent.map(({ id }) => id).filter((id) => unread.includes(id as string))).toEqual([]);
  const waiting = await query({ data: to }, "SELECT id FROM events.outbox WHERE sent_at IS NULL");
  expect(waiting.map(({ id }) => id)).toEqual(expect.arrayContaining(unread));
  // What was given up leaves its offset to what comes from the other broker.
  expect(await query({ data: to }, 'SELECT "offset"::int, error FROM events.given_up')).toEqual([{ offset: -5, error: "Cannot read it" }]);
  // An outbox numbers on from what has come in.
  const [next] = await query({ data: to }, "SELECT nextval(pg_get_serial_sequence('events.outbox', 'position'))::int > max(position) AS fits FROM events.outbox");
  expect(next).toEqual({ fits: true });
}, LIMIT_MS);

test("An event that has left the outbox is sent again under its id", async () => {
  const [to, other] = [ownFolder(), join(ownFolder(), "older")];
  cpSync(out, other, { recursive: true });
  const event = { id: randomUUID(), topic: "platform.users", type: "user.locked", key: "USR1", data: { revision: 1 }, traceparent: null, createdAt: "2026-11-20T10:00:00.000Z" };
  appendFileSync(join(other, "events.jsonl"), `${JSON.stringify(event)}\n`);
  const { output } = await run("import", [other, "--only", "database"], { GATEHOUSE_DATA: to, ...settings });
  expect(countsIn(output)["events"]).toMatchObject({ made: 1 });
  expect(await query({ data: to }, `SELECT key, data, sent_at FROM events.outbox WHERE id = '${event.id}'`)).toEqual([{ key: "USR1", data: { revision: 1 }, sent_at: null }]);
}, LIMIT_MS);

test("The database that was exported from keeps its rows, and its consumers begin anew when the broker is another", async () => {
  const to = join(ownFolder(), "data");
  cpSync(data, to, { recursive: true });
  const trial = await imported(to, "--only", "database", "--dry-run");
  const { code, counts } = await imported(to, "--only", "database");
  const unsent = linesOf(out, "events").length;
  expect({ code, ...totalOf(counts) }).toMatchObject({ code: 0, made: 0, different: 0, changed: linesOf(out, "events.positions").length + unsent + 1 });
  expect(trial.counts).toEqual(counts);
  const same = await run("import", [out, "--only", "database"], { GATEHOUSE_DATA: data });
  expect({ code: same.code, ...totalOf(countsIn(same.output)) }).toMatchObject({ code: 0, made: 0, changed: 0, different: 0 });
}, LIMIT_MS);

test("What is there and different is told and left alone, and replaced when that is asked for", async () => {
  const to = ownFolder();
  await imported(to);
  await inStore(SECRET, { data: { "smtp.password": "changed since" } });
  await inStore("/v1/sys/policies/acl/user-service-policy", { policy: 'path "x" {\n  capabilities = ["read"]\n}\n' });
  await query({ data: to }, "UPDATE users.users SET first_name = 'Changed' WHERE email_key = 'mover1@example.com'");
  const left = await imported(to);
  expect({ code: left.code, ...totalOf(left.counts) }).toMatchObject({ code: 3, made: 0, changed: 0, different: 3 });
  expect(left.output).toMatch(/^secrets: "platform\/user-service\/dev" is there and holds something else$/m);
  expect((await inStore(SECRET)).body["data"].data).toEqual({ "smtp.password": "changed since" });

  const replaced = await imported(to, "--overwrite");
  expect({ code: replaced.code, ...totalOf(replaced.counts) }).toMatchObject({ code: 0, made: 0, changed: 3, different: 0 });
  expect((await inStore(SECRET)).body["data"]).toMatchObject({ data: { "smtp.user": ODD }, metadata: { version: 2 } });
  expect(await query({ data: to }, "SELECT first_name FROM users.users WHERE email_key = 'mover1@example.com'")).toEqual([{ first_name: "Asha" }]);
}, LIMIT_MS);

test("An audit log that is another one is left whole", async () => {
  const to = ownFolder();
  await query({ data: to }, "INSERT INTO admin.audit_entries (sequence, id, at, action, outcome, previous, hash) VALUES (1, 'e1', now(), 'x', 'success', 'p', 'h1')");
  await query({ data: to }, "INSERT INTO admin.audit_head VALUES ('audit', 1, 'h1')");
  const { code, counts } = await imported(to, "--only", "database", "--overwrite");
  expect({ code, entries: counts["admin.audit_entries"] }).toEqual({ code: 3, entries: { made: 0, same: 0, changed: 0, different: linesOf(out, "admin.audit_entries").length, failed: 0 } });
  expect(await query({ data: to }, "SELECT sequence::int, id FROM admin.audit_entries")).toEqual([{ sequence: 1, id: "e1" }]);
}, LIMIT_MS);

test("An export of another version, a system without credentials and a part that there is not are refused in a sentence", async () => {
  const other = join(ownFolder(), "other");
  cpSync(out, other, { recursive: true });
  writeFileSync(join(other, "manifest.json"), JSON.stringify({ ...JSON.parse(filesOf(out)["manifest.json"]!), migration: "1" }));
  const to = ownFolder();
  expect(await run("import", [other], { GATEHOUSE_DATA: to })).toMatchObject({ code: 1, output: expect.stringContaining("database: Cannot import rows: they were exported by another version of the platform\n") });
  expect(await run("import", [out], { GATEHOUSE_DATA: to, SECRETS_URL: settings["SECRETS_URL"]! })).toEqual({ code: 1, output: "Cannot import secrets: set SECRETS_ADMIN_TOKEN\n" });
  expect(await run("import", [out, "--only", "database"], { GATEHOUSE_DATA: to, SECRETS_URL: settings["SECRETS_URL"]! })).toMatchObject({ code: 0 });
  expect(await run("import", [out, "--only", "database,cache"], { GATEHOUSE_DATA: to })).toEqual({
    code: 1,
    output: 'Cannot import only "database,cache": name some of identity, secrets, broker, database\n',
  });
}, LIMIT_MS);
