import { afterAll, beforeEach, expect, it } from "vitest";
import { embeddedIdentity } from "../../src/identity/embedded/app.ts";
import { provisionIdentity } from "../../src/identity/embedded/provision.ts";
import { sweepIdentity } from "../../src/identity/embedded/sweep.ts";
import { wire, type Wire } from "../wire/identity/wire.ts";
import { emptyDatabase, REALM, underTest } from "./embedded.ts";

const database = await emptyDatabase();
const clock = { now: Date.now() };
const needs = { db: database.db, url: "http://identity.test", realm: "platform", now: () => clock.now, iterations: 1000 };

beforeEach(database.reset);
afterAll(database.close);

function opened(): Wire {
  const app = embeddedIdentity(needs);
  return wire({ ...underTest(needs.url), fetch: (request) => app.fetch(request) });
}

const count = async (table: string) => (await database.query(`select count(*) from identity.${table}`))[0]?.["count"];
const state = () => Promise.all(["keys", "clients", "users", "roles", "composite_roles", "user_roles"].map(count));

it("makes the realm once, from however many instances at once", async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => provisionIdentity(needs, REALM)));
  expect(made.filter(({ administratorCreated }) => administratorCreated)).toHaveLength(1);
  const before = await state();
  expect(await provisionIdentity(needs, REALM)).toEqual({ administratorCreated: false });
  expect(await state()).toEqual(before);
  expect(before).toEqual(["1", "5", "4", "30", "30", "8"]);
  expect((await opened().login(REALM.administrator)).status).toBe(200);
});

it("agrees on one key between instances that start together", async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, async () => (await opened().send("http://identity.test/realms/platform/protocol/openid-connect/certs")).text));
  expect(new Set(keys).size).toBe(1);
});

it("brings secrets in line, and leaves a password and a role that people changed", async () => {
  await provisionIdentity(needs, REALM);
  const at = opened();
  const as = await at.serviceToken(at.userService);
  const { body: found } = await at.admin("GET /users?username=admin01&exact=true", { as });
  await at.admin(`PUT /users/${found[0].id}/reset-password`, { as, body: { value: "Another-Horse-Battery-2" } });
  const secrets = { ...REALM.secrets, "auth-service": "a new secret" };
  expect(await provisionIdentity(needs, { ...REALM, secrets })).toEqual({ administratorCreated: false });
  expect((await at.login(REALM.administrator)).body.error).toBe("unauthorized_client");
  const there = wire({ ...at, authService: { id: "auth-service", secret: "a new secret" } });
  expect((await there.login(REALM.administrator)).body.error_description).toBe("Invalid user credentials");
  expect((await there.login({ ...REALM.administrator, password: "Another-Horse-Battery-2" })).status).toBe(200);
});

it("makes no second administrator while somebody is one", async () => {
  await provisionIdentity(needs, REALM);
  const other = { username: "other01", password: "Correct-Horse-Battery-1" };
  expect(await provisionIdentity(needs, { ...REALM, administrator: other })).toEqual({ administratorCreated: false });
  expect((await opened().login(other)).status).toBe(400);
});

it("makes one administrator even when instances are told different ones", async () => {
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, n) => provisionIdentity(needs, { ...REALM, administrator: { username: `root${n}`, password: "Correct-Horse-Battery-1" } })),
  );
  expect(made.filter(({ administratorCreated }) => administratorCreated)).toHaveLength(1);
  expect(await count("users")).toBe("4");
});

it("lets an administrator without an e-mail in", async () => {
  const administrator = { username: "Root01", password: "Correct-Horse-Battery-1" };
  await provisionIdentity(needs, { ...REALM, administrator });
  expect((await opened().login(administrator)).status).toBe(200);
});

it("says so when the administrator's name belongs to somebody else", async () => {
  await provisionIdentity(needs, REALM);
  await database.query("delete from identity.user_roles where role in (select id from identity.roles where name = 'ADMIN')");
  await expect(provisionIdentity(needs, REALM)).rejects.toThrow('Cannot create the administrator "admin01"');
});

it("refuses to make a client or an administrator that anybody could be", async () => {
  const secrets = { ...REALM.secrets, "user-service": "" };
  await expect(provisionIdentity(needs, { ...REALM, secrets })).rejects.toThrow('Cannot provide the client "user-service": it has no secret');
  const administrator = { username: "root", password: "" };
  await expect(provisionIdentity(needs, { ...REALM, administrator })).rejects.toThrow('Cannot create the administrator "root": there is no password');
  expect(await database.query("select 1 from identity.users where username = 'root'")).toEqual([]);
  await provisionIdentity(needs, REALM);
  expect(await provisionIdentity(needs, { ...REALM, administrator })).toEqual({ administratorCreated: false });
});

it("sweeps what has run out, and nothing else", async () => {
  await provisionIdentity(needs, REALM);
  const at = opened();
  const { body: old } = await at.login(REALM.administrator);
  await at.form("revoke", { client_id: "auth-service", client_secret: "auth-service-secret", token: old.access_token });
  clock.now += 1_700_000;
  const { body: live } = await at.login(REALM.administrator);
  expect(await sweepIdentity(needs)).toBe(1);
  clock.now += 200_000;
  expect(await sweepIdentity(needs)).toBe(1);
  expect([await count("sessions"), await count("revoked_tokens")]).toEqual(["1", "0"]);
  expect((await at.token(at.authService, { grant_type: "refresh_token", refresh_token: live.refresh_token })).status).toBe(200);
});
