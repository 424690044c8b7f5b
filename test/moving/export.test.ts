import { chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LEFT_BEHIND, TABLES } from "../../src/moving/kinds.ts";
import { lockFile } from "../../workers/lock.ts";
import { begun, worker } from "../command.ts";
import { ownFolder } from "../workers/folder.ts";
import { filesOf, LIMIT_MS, linesOf, query, run } from "./commands.ts";
import { type Filled, filled, ODD, PASSWORD } from "./filled.ts";

const data = mkdtempSync(join(tmpdir(), "gatehouse-"));
const out = join(data, "exported");
let made: Filled;
let exported: { code: number | null; output: string };

beforeAll(async () => {
  made = await filled(data);
  exported = await exportTo(out);
}, LIMIT_MS);
afterAll(() => rmSync(data, { recursive: true, force: true }));

const exportTo = (out: string, settings: Record<string, string> = {}) => run("export", [out], { GATEHOUSE_DATA: data, ...settings });

test("An export holds all that is moved, is its owner's alone, and shows no secret", () => {
  const { code, output } = exported;
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("keep it to yourself") });
  expect(statSync(out).mode & 0o777).toBe(0o700);
  expect(readdirSync(out).filter((name) => (statSync(join(out, name)).mode & 0o777) !== 0o600)).toEqual([]);

  const [plain, odd, locked] = [made.plain, made.odd, made.locked].map(({ userId }) => linesOf(out, "users").find(({ username }) => username === userId.toLowerCase()));
  const credential = { type: "password", secretData: expect.any(String), credentialData: expect.stringContaining('"hashIterations":600000,"algorithm":"pbkdf2-sha256"') };
  expect(plain).toMatchObject({ id: linesOf(out, "users.users").find(({ user_id }) => user_id === made.plain.userId)?.["identity_id"], enabled: true, credentials: [credential] });
  expect([odd?.["email"], locked?.["enabled"]]).toEqual(["odd.o'brien+2@xn--exmple-cua.com", false]);
  expect(linesOf(out, "users")).toContainEqual(expect.objectContaining({ username: "nightly", lastName: "𐍈", requiredActions: ["UPDATE_PASSWORD"], credentials: [] }));
  expect(linesOf(out, "roles").map(({ name }) => name)).toEqual(["Auditor / Prüfer"]);
  expect(linesOf(out, "clients")).toEqual([
    { client: expect.objectContaining({ clientId: made.billing.clientId, secret: made.billing.clientSecret }), serviceRoles: { realm: ["INTERNAL_SERVICE", "default-roles-platform"], client: {} } },
  ]);
  expect(linesOf(out, "approles")).toMatchObject([{ name: "user-service", roleId: made.approle.roleId }]);
  expect(linesOf(out, "policies").map(({ name }) => name)).toEqual(["user-service-policy"]);
  expect(linesOf(out, "secrets")[0]?.["versions"].map(({ data }: any) => data)).toEqual([
    { "smtp.password": "canary-secret-one" },
    { "smtp.password": "canary-secret-one", "smtp.user": ODD },
  ]);
  expect(linesOf(out, "topics").map(({ name, partitions }) => [name, partitions])).toContainEqual(["orders", 3]);
  expect(linesOf(out, "webhooks.endpoints").map(({ id }) => id)).toEqual([made.webhook.id]);

  const everything = Object.values(filesOf(out)).join("\n");
  for (const secret of [PASSWORD, made.adminPassword, "canary-answer", made.webhook.secret, made.installation["SECRETS_KEY"] ?? ""]) expect(everything).not.toContain(secret);
  for (const secret of ["canary-secret-one", made.billing.clientSecret, made.installation["WEBHOOK_KEY"] ?? ""]) expect([everything.includes(secret), output.includes(secret)]).toEqual([true, false]);
});

test("A folder that something is in is left as it is", async () => {
  const other = ownFolder();
  writeFileSync(join(other, "unfinished"), "");
  writeFileSync(join(other, "notes.txt"), "mine");
  for (const taken of [out, other]) {
    const before = filesOf(taken);
    expect(await exportTo(taken)).toEqual({ code: 1, output: `Cannot export into "${taken}": it is not empty\n` });
    expect(filesOf(taken)).toEqual(before);
  }
}, LIMIT_MS);

test("What a link leads to is not written, and what is no folder is said to be none", async () => {
  const folder = ownFolder();
  const target = join(ownFolder(), "theirs");
  writeFileSync(target, "theirs");
  for (const name of ["unfinished", "roles.jsonl"]) {
    const taken = join(folder, name);
    mkdirSync(taken);
    writeFileSync(join(taken, "unfinished"), "");
    rmSync(join(taken, name), { force: true });
    symlinkSync(target, join(taken, name));
    expect(await exportTo(taken)).toEqual({ code: 1, output: `Cannot export into "${taken}": "${name}" in it is no plain file\n` });
    expect([readFileSync(target, "utf8"), lstatSync(join(taken, name)).isSymbolicLink()]).toEqual(["theirs", true]);
  }
  expect(await exportTo(target)).toEqual({ code: 1, output: `Cannot export into "${target}": it is no folder\n` });
}, LIMIT_MS);

test.runIf(process.getuid?.() === 0)("A folder of somebody else is not used", async () => {
  const theirs = ownFolder();
  chownSync(theirs, 12_345, 12_345);
  expect(await exportTo(theirs)).toEqual({ code: 1, output: `Cannot export into "${theirs}": it belongs to somebody else\n` });
  expect(readdirSync(theirs)).toEqual([]);
}, LIMIT_MS);

test("An export that was killed is no export, and is made anew at the next try", async () => {
  const out = join(ownFolder(), "out");
  const { child, ended, output } = begun(worker("export", out), { GATEHOUSE_DATA: data });
  while (child.exitCode === null && !existsSync(join(out, "roles.jsonl"))) await pause(2);
  child.kill("SIGKILL");
  expect(await ended, output()).toBe(null);
  expect(await run("import", [out], { GATEHOUSE_DATA: ownFolder() })).toEqual({ code: 1, output: expect.stringContaining("there is no export in it, or not a whole one") });
  expect((await exportTo(out)).code).toBe(0);
  expect(linesOf(out, "users")).toHaveLength(5);
}, LIMIT_MS);

test("A platform that runs is not exported", async () => {
  const out = join(ownFolder(), "out");
  const unlock = lockFile(join(data, "postgres", "lock"));
  try {
    const { code, output } = await exportTo(out);
    expect({ code, output, isThere: existsSync(out) }).toEqual({ code: 1, output: expect.stringMatching(/^Cannot open the database in ".*": another process is using it\n$/), isThere: false });
  } finally {
    unlock?.();
  }
}, LIMIT_MS);

test("Without an embedded database, or with another key than it was sealed with, there is nothing to export", async () => {
  const empty = ownFolder();
  expect(await run("export", [join(empty, "out")], { GATEHOUSE_DATA: empty })).toEqual({ code: 1, output: `Cannot export "${empty}": there is no embedded database in it\n` });
  const out = join(ownFolder(), "out");
  const other = await exportTo(out, { SECRETS_KEY: "A".repeat(43) });
  expect({ code: other.code, output: other.output, isWhole: existsSync(join(out, "manifest.json")) }).toEqual({ code: 1, output: expect.stringContaining("sealed with another key"), isWhole: false });
}, LIMIT_MS);

test("Every table is moved, or stays behind for a reason", async () => {
  const tables = await query({ data }, "SELECT table_schema AS schema, table_schema || '.' || table_name AS name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')");
  const stays = (schema: unknown) => LEFT_BEHIND.some((one) => one === schema);
  expect(tables.filter(({ schema }) => !stays(schema)).map(({ name }) => name).toSorted()).toEqual([...TABLES, "admin.audit_head"].toSorted());
}, LIMIT_MS);
