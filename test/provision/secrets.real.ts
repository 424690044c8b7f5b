import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Settings } from "../command.ts";
import { vault } from "../systems/vault.ts";
import { MERGE_PATCH } from "../wire/secrets/wire.ts";
import { ownFolder } from "../workers/folder.ts";
import { changesIn, isDone, keptIn, killed, nothingToDo, provision, SHARED } from "./command.ts";
import { contentOf, login, newVault, secretsSettings, store } from "./vault.ts";

const SLOW = { timeout: 240_000 };

beforeEach(newVault);
afterAll(newVault);

function told(more: Settings = {}) {
  const settings: Settings = { ...secretsSettings(), GATEHOUSE_DATA: ownFolder(), ...more };
  return { settings, file: join(settings["GATEHOUSE_DATA"]!, "settings.env") };
}

/** A token of each AppRole, by what the settings file has. */
async function tokens(file: string) {
  const kept = keptIn(file);
  const [admin, config] = await Promise.all(["ADMIN_SERVICE", "CONFIG_SERVER"].map((name) => login(kept[`${name}_ROLE_ID`], kept[`${name}_SECRET_ID`])));
  return { admin: admin!, config: config! };
}

async function statusOf(line: string, { as, body }: { as: string; body?: unknown }): Promise<number> {
  return (await store.call(line, { as, body, ...(line.startsWith("PATCH") && { headers: MERGE_PATCH }) })).status;
}

test("A trial changes nothing and writes no file", async () => {
  const { settings, file } = told();
  const before = await contentOf();
  const ran = await provision(settings, "--dry-run");
  expect([ran.code, existsSync(file), await contentOf()]).toEqual([0, false, before]);
  expect(changesIn(ran)).toContain('Mount a kv engine of version 2 at "secret"');
  expect(ran.output).toContain("writes no audit log");
});

test("Everything is made once, with AppRoles that have the least rights, and a trial or another run changes nothing", SLOW, async () => {
  const { settings, file } = told();
  isDone(await provision(settings, "--yes"));
  const before = [await contentOf(), keptIn(file)];
  nothingToDo(await provision(settings, "--dry-run"));
  nothingToDo(await provision(settings, "--yes"));
  expect([await contentOf(), keptIn(file)]).toEqual(before);
  expect(Object.keys(keptIn(file)).toSorted()).toEqual(["ADMIN_SERVICE_ROLE_ID", "ADMIN_SERVICE_SECRET_ID", "CONFIG_SERVER_ROLE_ID", "CONFIG_SERVER_SECRET_ID", "SECRETS_URL", ...Object.keys(SHARED)].toSorted());

  const { admin, config } = await tokens(file);
  const byAdmin: [line: string, body: unknown, status: number][] = [
    ["POST auth/approle/role/orders", { token_policies: ["user-service-policy"] }, 204],
    ["GET auth/approle/role/orders", undefined, 200],
    ["GET auth/approle/role?list=true", undefined, 200],
    ["GET auth/approle/role/orders/role-id", undefined, 200],
    ["POST auth/approle/role/orders/secret-id", {}, 200],
    ["POST auth/approle/role/orders", { token_policies: ["platform-admin"] }, 403],
    ["DELETE auth/approle/role/orders", undefined, 204],
    ["POST secret/data/platform/orders/dev", { data: { a: "1" } }, 200],
    ["PATCH secret/data/platform/orders/dev", { data: { b: "2" } }, 200],
    ["GET secret/data/platform/orders/dev", undefined, 200],
    ["POST secret/data/platform/orders/prod", { data: { a: "1" } }, 403],
    ["PUT sys/policies/acl/user-service-policy", { policy: 'path "a" { capabilities = ["read"] }' }, 204],
    ["GET sys/policies/acl?list=true", undefined, 200],
    ["DELETE sys/policies/acl/user-service-policy", undefined, 204],
    ["PUT sys/policies/acl/platform-admin", { policy: 'path "*" { capabilities = ["sudo"] }' }, 403],
    ["PUT sys/policies/acl/PLATFORM-ADMIN", { policy: 'path "*" { capabilities = ["sudo"] }' }, 403],
    ["POST auth/approle/role/config-server/secret-id", {}, 403],
    ["DELETE auth/approle/role/config-server", undefined, 403],
    ["GET sys/mounts", undefined, 403],
  ];
  for (const [line, body, status] of byAdmin) expect([line, await statusOf(line, { as: admin, body })]).toEqual([line, status]);
  for (const [line, status] of [["GET secret/data/platform/orders/dev", 200], ["GET secret/data/platform/orders/prod", 404], ["DELETE secret/metadata/platform/orders/dev", 403], ["GET sys/policies/acl?list=true", 403], ["GET auth/approle/role?list=true", 403]] as const) {
    expect([line, await statusOf(line, { as: config })]).toEqual([line, status]);
  }
  expect(await statusOf("POST secret/data/platform/orders/dev", { as: config, body: { data: {} } })).toBe(403);
  expect(await statusOf("DELETE secret/metadata/platform/orders/dev", { as: admin })).toBe(204);
});

test.each(["after", "before"] as const)("Killed right %s every write, run after run, it comes to the same, with one secret-id for each AppRole", SLOW, async (when) => {
  const { settings, file } = told();
  let [last, runs] = [await killed(settings, when), 1];
  for (; last.code === null && runs < 60; runs++) last = await killed(settings, when);
  isDone(last);
  expect(runs).toBeGreaterThan(7);
  nothingToDo(await provision(settings, "--yes"));
  const { admin, config } = await tokens(file);
  expect([admin, config]).not.toContain("");
  for (const role of ["admin-service", "config-server"]) expect((await vault(`GET auth/approle/role/${role}/secret-id?list=true`)).data.keys).toHaveLength(1);
});

test("What others have made is left alone and said, and brought in line when it is to be adopted", SLOW, async () => {
  const { settings, file } = told();
  await vault("POST sys/auth/approle", { type: "approle" });
  await vault("PUT sys/policies/acl/platform-admin", { policy: 'path "theirs" { capabilities = ["read"] }' });
  await vault("POST auth/approle/role/admin-service", { token_policies: ["theirs"], secret_id_ttl: "1h" });
  const theirs = async () => {
    const role = (await vault("GET auth/approle/role/admin-service")).data;
    return [(await vault("GET sys/policies/acl/platform-admin")).data.policy.includes("theirs"), role.token_policies, role.secret_id_ttl];
  };
  const { code, output } = await provision(settings, "--yes");
  expect([code, await theirs()]).toEqual([3, [true, ["theirs"], 3600]]);
  expect((await provision(settings, "--dry-run")).code).toBe(3);
  expect(output).toContain('The policy "platform-admin" says otherwise than the platform needs, and was not made by this command');
  expect(output).toContain('The AppRole "admin-service" has another token_ttl, token_max_ttl, token_policies and secret_id_ttl than the platform needs');
  expect(Object.keys(keptIn(file)).toSorted()).toEqual(["CONFIG_SERVER_ROLE_ID", "CONFIG_SERVER_SECRET_ID", "SECRETS_URL", ...Object.keys(SHARED)].toSorted());
  isDone(await provision(settings, "--yes", "--adopt"));
  expect(await theirs()).toEqual([false, ["platform-admin"], 0]);
  nothingToDo(await provision(settings, "--yes"));
  expect((await tokens(file)).admin).not.toBe("");
});

test("A policy written by hand that says the same is left as it is", SLOW, async () => {
  const { settings } = told();
  isDone(await provision(settings, "--yes"));
  const { data } = await vault("GET sys/policies/acl/platform-admin");
  const byHand = `# By hand\n${data.policy.replace(/^#.*\n/, "").replaceAll("  ", "\t")}`;
  await vault("PUT sys/policies/acl/platform-admin", { policy: byHand });
  nothingToDo(await provision(settings, "--yes"));
  expect((await vault("GET sys/policies/acl/platform-admin")).data.policy).toBe(byHand);
});

test("What is ours and was changed is mended, and a credential that was lost is replaced", SLOW, async () => {
  const { settings, file } = told();
  isDone(await provision(settings, "--yes"));
  const before = keptIn(file);
  await vault("POST auth/approle/role/admin-service", { token_policies: ["else"] });
  await vault("DELETE sys/policies/acl/platform-config");
  isDone(await provision(settings, "--yes"));
  expect(keptIn(file)).toEqual(before);
  const { admin, config } = await tokens(file);
  expect(await statusOf("GET auth/approle/role?list=true", { as: admin })).toBe(200);
  expect(await statusOf("GET secret/data/platform/a/b", { as: config })).toBe(404);

  const { ADMIN_SERVICE_SECRET_ID: _, ...lost } = before;
  writeFileSync(file, Object.entries(lost).map(([name, value]) => `${name}=${value}\n`).join(""));
  isDone(await provision(settings, "--yes"));
  expect(keptIn(file)["ADMIN_SERVICE_SECRET_ID"]).not.toBe(before["ADMIN_SERVICE_SECRET_ID"]);
  expect((await tokens(file)).admin).not.toBe("");
});

test("A secret-id that was destroyed does not come back: another one is in its place, also after a run that was cut off", SLOW, async () => {
  const { settings, file } = told();
  isDone(await provision(settings, "--yes"));
  for (const isCutOff of [false, true]) {
    const { CONFIG_SERVER_ROLE_ID: roleId, CONFIG_SERVER_SECRET_ID: destroyed, ...others } = keptIn(file);
    await vault("POST auth/approle/role/config-server/secret-id/destroy", { secret_id: destroyed });
    if (isCutOff) expect((await killed(settings, "after")).code).toBe(null);
    const ran = await provision(settings, "--yes");
    isDone(ran);
    expect(changesIn(ran)).toEqual([isCutOff ? 'Keep the secret-id of the AppRole "config-server" in CONFIG_SERVER_SECRET_ID' : 'Give the AppRole "config-server" a new secret-id, kept in CONFIG_SERVER_SECRET_ID: the store does not know the one there']);
    expect(keptIn(file)).toEqual({ ...others, CONFIG_SERVER_ROLE_ID: roleId, CONFIG_SERVER_SECRET_ID: expect.not.stringMatching(destroyed!) });
    expect([await login(roleId, destroyed), (await vault("GET auth/approle/role/config-server/secret-id?list=true")).data.keys.length]).toEqual(["", 1]);
    expect((await tokens(file)).config).not.toBe("");
    nothingToDo(await provision(settings, "--yes"));
  }
});

test("Credentials that the operator gives are those that it has", SLOW, async () => {
  const given = { ADMIN_SERVICE_ROLE_ID: "of-the-operator", ADMIN_SERVICE_SECRET_ID: "4a0b2d5e-secret-of-the-operator" };
  const { settings, file } = told(given);
  isDone(await provision(settings, "--yes"));
  expect(keptIn(file)).toMatchObject(given);
  nothingToDo(await provision(settings, "--yes"));
  expect((await tokens(file)).admin).not.toBe("");
});

test("Of another engine where the platform's should be it keeps its hands off", async () => {
  await vault("POST sys/mounts/secret", { type: "kv" });
  const before = await contentOf();
  const { code, output } = await provision(told().settings, "--yes", "--adopt");
  expect([code, await contentOf()]).toEqual([1, before]);
  expect(output).toContain('Cannot use the engine at "secret": it is kv of version 1');
});

test("A token that may not is told so", async () => {
  const { code, output } = await provision(told({ SECRETS_ADMIN_TOKEN: "canary" }).settings, "--yes");
  expect(code).toBe(1);
  expect(output).toContain("it answered 403: SECRETS_ADMIN_TOKEN is wrong, has expired, or has not the right");
  expect(output).not.toContain("canary");
});
