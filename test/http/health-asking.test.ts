import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Health, HealthCheck } from "../../src/http/health.ts";
import type { LogEntry } from "../../src/http/log.ts";
import { type TestPlatform, testPlatform } from "../platform.ts";
import { actuator } from "./actuator.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await testPlatform();
});
afterAll(() => platform.close());

const UP: Health = { status: "UP" };

/** A service that stands on `db`, whose clock is turned by hand. */
function standing(check: HealthCheck, { sharesPending = true } = {}) {
  const clock = { at: 1_700_000_000_000 };
  const log: LogEntry[] = [];
  const state = { check, asked: 0 };
  const app = actuator({ db: () => ((state.asked += 1), state.check()) }, { now: () => clock.at, log: (entry) => log.push(entry), sharesPending });
  const ask = async (headers = {}) => {
    const answer = await app.request("/actuator/health/db", { headers });
    return { status: answer.status, body: (await answer.json()) as Health };
  };
  return { clock, state, ask, told: () => log.filter(({ message }) => message !== "request") };
}

test.each([true, false])("a neighbour is asked once a second, however often we are (where requests may wait for each other: %s)", async (sharesPending) => {
  const { clock, state, ask } = standing(() => Promise.resolve(UP), { sharesPending });
  for (let i = 0; i < 5; i++) await ask();
  clock.at += 999;
  await ask();
  expect(state.asked).toBe(1);
  state.check = () => Promise.reject(new Error("refused"));
  clock.at += 1;
  expect((await ask()).status).toBe(503);
  expect(state.asked).toBe(2);
  clock.at -= 60_000;
  await ask();
  expect(state.asked).toBe(3);
});

test("twenty who ask at once are answered by one question, and none of them is told that anything is down", async () => {
  const slow = platform.instance({ identity: async (request, pass) => (await pause(40), pass(request)) });
  const answers = await Promise.all(Array.from({ length: 20 }, () => slow.request("/actuator/health/identityProvider", { service: "auth" })));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
});

test("where none may wait for another, some ask, and the rest hear what is known or that it is not, never DOWN", async () => {
  const waiting: ((health: Health) => void)[] = [];
  const { clock, state, ask } = standing(() => new Promise((resolve) => waiting.push(resolve)), { sharesPending: false });
  const crowd = () => Promise.all(Array.from({ length: 20 }, () => ask()));
  const settle = async (asking: Promise<Awaited<ReturnType<typeof ask>>[]>) => {
    while (waiting.length < 4) await pause(1);
    for (const answer of waiting.splice(0)) answer(UP);
    return (await asking).map(({ status, body }) => `${status} ${body.status}`);
  };
  const first = await settle(crowd());
  expect(state.asked).toBe(4);
  expect(first.filter((one) => one === "200 UP")).toHaveLength(4);
  expect(first.filter((one) => one === "200 UNKNOWN")).toHaveLength(16);
  clock.at += 2000;
  expect(new Set(await settle(crowd()))).toEqual(new Set(["200 UP"]));
  expect(state.asked).toBe(8);
});

test.each([true, false])("who waits for a moment only makes nothing DOWN for others (where requests may wait for each other: %s)", async (sharesPending) => {
  const waiting: ((health: Health) => void)[] = [];
  const { ask, told } = standing(() => new Promise((resolve) => waiting.push(resolve)), { sharesPending });
  expect(await ask({ "x-deadline-ms": "5" })).toMatchObject({ status: 503, body: { status: "DOWN", details: { error: "No answer in time" } } });
  const patient = ask();
  await pause(1);
  for (const answer of waiting) answer(UP);
  expect(await patient).toEqual({ status: 200, body: UP });
  expect(await ask()).toEqual({ status: 200, body: UP });
  expect(told()).toEqual([]);
});

test("a component that fails is logged with its cause when it begins to, and once when it is well again", async () => {
  const { clock, state, ask, told } = standing(() => Promise.resolve(UP));
  const failing = () => Promise.reject(new Error("Cannot ask", { cause: new Error("connect ECONNREFUSED postgres://me:hunter2@db") }));
  for (const check of [state.check, failing, failing, failing, () => Promise.resolve(UP), () => Promise.resolve(UP)]) {
    state.check = check;
    clock.at += 1000;
    await ask();
  }
  expect(told()).toEqual([
    { level: "warn", service: "probe", message: 'The component "db" is DOWN', error: "Error: Cannot ask <- Error: connect ECONNREFUSED postgres://me[redacted]db" },
    { level: "info", service: "probe", message: 'The component "db" is UP' },
  ]);
});

test("a component that says itself why it is not well is logged with that, and why is in no answer", async () => {
  const { state, ask, told, clock } = standing(() => Promise.resolve({ status: "DOWN", details: { error: "Nothing is committed" }, cause: undefined }));
  await ask();
  clock.at += 1000;
  state.check = () => Promise.resolve({ status: "OUT_OF_SERVICE", cause: new Error("hunter2") });
  expect((await ask()).body).toEqual({ status: "OUT_OF_SERVICE" });
  clock.at += 1000;
  state.check = () => Promise.resolve({ status: "DOWN", components: { primary: UP, replica: { status: "DOWN" } } });
  await ask();
  expect(told().map(({ error }) => error)).toEqual(["Nothing is committed", "Error: hunter2", "replica"]);
});
