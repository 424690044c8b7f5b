import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { type JsonSchema, listedEvents } from "../../src/events/asyncapi.ts";
import { catalogue, type EventType } from "../../src/events/catalogue.ts";
import { dataSchemaOf, sourceOf } from "../../src/events/envelope.ts";
import { adminPlatform, type AdminPlatform } from "../admin/instance.ts";
import { registered, signedIn, tokenOf } from "../platform.ts";
import { breaks, type Contract, type Contracts } from "./compatibility.ts";

const RECORD = fileURLToPath(new URL("catalogue.json", import.meta.url));

function contractOf(type: string, { topic, data }: { topic: string; data: JsonSchema }): Contract {
  return { topic, source: sourceOf(type), dataschema: dataSchemaOf(type), data };
}

const published: Contracts = Object.fromEntries(listedEvents().map(({ type, topic, schema }) => [type, contractOf(type, { topic, data: schema })]));

test("nothing that is published has changed in a way that breaks who reads it", () => {
  const recorded = existsSync(RECORD) ? (JSON.parse(readFileSync(RECORD, "utf8")) as Contracts) : {};
  expect(breaks(recorded, published)).toEqual([]);
  // An addition is recorded with the change that makes it: from then on it is relied on.
  if (!process.env["CI"]) writeFileSync(RECORD, `${JSON.stringify(published, null, 2)}\n`);
});

const Data = z.object({ userId: z.string(), count: z.int().optional(), kind: z.enum(["a", "b"]), at: z.iso.datetime(), inner: z.object({ one: z.string() }), maybe: z.string().nullable() });
const { userId, count, kind, at, inner, maybe } = Data.shape;

function contracts(data: z.ZodObject, topic = "platform.users"): Contracts {
  return { "user.tested": contractOf("user.tested", { topic, data: z.toJSONSchema(data, { target: "draft-7", io: "input" }) as JsonSchema }) };
}

test.each<[string, Contracts, string]>([
  ["a type that is gone", {}, "user.tested is gone"],
  ["another topic", contracts(Data, "platform.audit"), "user.tested: its topic is another"],
  ["another source", { "user.tested": { ...contracts(Data)["user.tested"]!, source: "/admin-service" } }, "user.tested: its source is another"],
  ["a field that is gone", contracts(Data.omit({ userId: true })), "user.tested data.userId is gone"],
  ["an optional field that is gone", contracts(Data.omit({ count: true })), "user.tested data.count is gone"],
  ["a field within another that is gone", contracts(Data.extend({ inner: z.object({}) })), "user.tested data.inner.one is gone"],
  ["a required field that is optional", contracts(Data.extend({ userId: userId.optional() })), "user.tested data.userId may be missing"],
  ["a field of another type", contracts(Data.extend({ userId: z.number() })), "user.tested data.userId has another type"],
  ["a field of a narrower type", contracts(Data.extend({ userId: z.enum(["a"]) })), "user.tested data.userId has another enum"],
  ["a field of a wider type", contracts(Data.extend({ count: z.number().optional() })), "user.tested data.count has another type"],
  ["a field that may be null", contracts(Data.extend({ userId: userId.nullable() })), "user.tested data.userId has another type"],
  ["a nullable field of another type", contracts(Data.extend({ maybe: z.number().nullable() })), "user.tested data.maybe has another type"],
  ["a field without its format", contracts(Data.extend({ at: z.string() })), "user.tested data.at has another format"],
  ["a word that is gone", contracts(Data.extend({ kind: z.enum(["a"]) })), 'user.tested data.kind is never "b"'],
  ["an enumeration that is any text", contracts(Data.extend({ kind: z.string() })), 'user.tested data.kind is never "a"'],
])("%s breaks who reads it", (_, now, sentence) => {
  expect(breaks(contracts(Data), now)).toContain(sentence);
});

test.each<[string, Contracts]>([
  ["nothing", contracts(Data)],
  ["a new type", { ...contracts(Data), "user.new": contractOf("user.new", { topic: "platform.users", data: {} }) }],
  ["a new field", contracts(Data.extend({ more: z.string() }))],
  ["a new field within another", contracts(Data.extend({ inner: inner.extend({ two: z.string() }) }))],
  ["an optional field that is always there", contracts(Data.extend({ count: count.unwrap() }))],
  ["a new word", contracts(Data.extend({ kind: z.enum([...kind.options, "c"]) }))],
  ["other words for people", contracts(Data.extend({ userId: userId.describe("The user"), at: at.describe("When"), maybe: maybe.describe("Perhaps") }))],
  ["another order of fields", contracts(z.object({ maybe, inner, at, kind, count, userId }))],
])("%s breaks nobody", (_, now) => {
  expect(breaks(contracts(Data), now)).toEqual([]);
});

let platform: AdminPlatform;
beforeAll(async () => void (platform = await adminPlatform()));
afterAll(() => platform.close());

test("everything that the services write is an event as the catalogue says it, without a field more", async () => {
  const user = await registered(platform);
  const path = `/api/users/${user.userId}`;
  const put = (to: string, json: object, token: string) => platform.request(to, { method: "PUT", json, token }).then(({ status }) => expect(status).toBe(200));
  const token = await signedIn(platform, { username: user.userId, password: user.password });
  const address = { addressLine1: "12 Lake View Road", city: "Pune", state: "Maharashtra", pinCode: "411001", addressType: "OFFICE" };
  await put(path, { updateAddressDto: address }, token);
  await put(`/api/security-details/${user.userId}`, { securityQuestions: [{ question: "Which school?", answer: "canary" }] }, token);
  const wrong = () => platform.request("/api/auth/authenticate", { method: "POST", json: { username: user.userId, password: "Wrong-Horse-7-Battery" } });
  for (let failures = 0; failures < 5; failures++) await wrong();
  await put(path, { isLockUser: true }, platform.token);
  await put(path, { isLockUser: false }, platform.token);
  await platform.call("GET", "/api/admin/topics");
  await platform.call("POST", "/api/admin/vault-secrets", { json: {} });
  await platform.call("GET", "/api/admin/topics", { token: await tokenOf(platform, "user-service") });

  const rows = await platform.database.query("SELECT topic, type, key, data FROM events.outbox ORDER BY position");
  const events = rows.map(({ topic, type, key, data }) => ({ topic, type: type as EventType, key, data: JSON.parse(data ?? "null") as Record<string, unknown> }));
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(Object.keys(catalogue)));
  for (const { topic, type, key, data } of events) {
    expect(catalogue[type].topic).toBe(topic);
    expect(catalogue[type].data.strict().parse(data)).toEqual(data);
    expect(data["userId"] ?? data["caller"]).toBe(key);
  }
  const [{ identity = "" } = {}] = (await platform.database.query("SELECT identity_id AS identity FROM users.users WHERE user_id = $1", [user.userId])) as { identity: string }[];
  const of = (type: EventType) => events.filter((event) => event.type === type).map(({ data }) => data);
  expect(of("user.signed-in")).toEqual([{ userId: user.userId, identityId: identity, requestId: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
  expect(of("user.locked")).toEqual([expect.objectContaining({ identityId: identity, by: expect.stringMatching(/^[0-9a-f-]{36}$/) })]);
  expect(of("user.locked")[0]?.["by"]).not.toBe(identity);
  expect(of("user.login-locked")[0]?.["lockedUntil"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(JSON.stringify(events)).not.toMatch(/canary|Horse/);
});

test("a sign-in is an event once, however often its success is reported", async () => {
  const user = await registered(platform);
  const token = await platform.serviceToken();
  const reserved = await platform.request("/internal/api/login-attempts", { method: "POST", json: { username: user.userId }, token, service: "users" });
  const { attemptId } = (await reserved.json()) as { attemptId: string };
  const report = () => platform.request(`/internal/api/security-details/${user.userId}?loginFailed=false&attemptId=${attemptId}`, { method: "PUT", token });
  expect((await Promise.all([report(), report(), report()])).map(({ status }) => status)).toEqual([200, 200, 200]);
  const events = await platform.database.query("SELECT topic, data->>'userId' AS user FROM events.outbox WHERE type = 'user.signed-in' AND key = $1", [user.userId]);
  expect(events).toEqual([{ topic: "platform.audit", user: user.userId }]);
});
