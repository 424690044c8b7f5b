import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { append } from "../../src/admin/audit-log/chain-store.ts";
import { AUDIT_TRAIL, type ChainedEntry } from "../../src/admin/audit-log/entry.ts";
import { listEntries } from "../../src/admin/audit-log/store.ts";
import { recordReader } from "../../src/broker/reading.ts";
import { database } from "../../src/database/client.ts";
import { consumer, type Consumer } from "../../src/events/consumer.ts";
import { envelopeOf } from "../../src/events/envelope.ts";
import { dice, following, type Following } from "../events/following.ts";
import type { Wire } from "../platform.ts";
import { faultsIn } from "./audit-log.ts";
import { never } from "./faults.ts";

let at: Following;
beforeAll(async () => {
  at = await following();
});
afterAll(() => at.close());

const PARTITIONS = 4;
const CALLERS = 50;

/** A consumer of the log over `topic`; `isDead` once it was killed. */
function trail(topic: string, wire: Wire): Consumer {
  return consumer({
    ...AUDIT_TRAIL,
    topics: [topic],
    effect: append,
    db: database({ url: at.database.url, endpoint: at.database.endpoint, fetch: (request) => wire(request, at.database.fetch), now: at.now, timeout: 5000 }),
    reader: recordReader({ url: at.baseUrl, fetch: at.fetch, now: at.now }),
    now: at.now,
    log: () => {},
    service: "tests",
  });
}

/** A statement in five comes to something: lost on its way, or its answer, or the process that sent it dies before or after. */
function faulty(random: () => number, die: () => void): Wire {
  return async (request, pass) => {
    const chance = random();
    if (chance < 0.05) throw new TypeError("fetch failed");
    if (chance >= 0.2) return pass(request);
    if (chance >= 0.1) await pass(request);
    if (chance < 0.15) throw new TypeError("fetch failed");
    die();
    return never;
  };
}

async function wholeLog(): Promise<ChainedEntry[]> {
  const all: ChainedEntry[] = [];
  for (let before: number | undefined; ; before = all.at(-1)?.sequence) {
    const page = await listEntries(at.database.db, { before, limit: 1000 });
    all.push(...page);
    if (page.length < 1000) return all.toReversed();
  }
}

test("consumers that run at once and die at any statement make one chain of all events, each once, in order for each caller", { timeout: 120_000 }, async () => {
  const topic = await at.newTopic(PARTITIONS);
  const events = Array.from({ length: 2000 }, (_, nth) =>
    envelopeOf({
      id: crypto.randomUUID(),
      type: "admin.called",
      key: `caller-${nth % CALLERS}`,
      data: { caller: `caller-${nth % CALLERS}`, client: "auth-service", operation: "createAppRole", resource: `approle/${nth}`, requestId: String(nth), outcome: "succeeded", code: null },
      traceparent: null,
      createdAt: at.now(),
    }),
  );
  const random = dice(20_261_116);
  let kills = 0;
  let isDone = false;

  /** One process after another, until the end is reached. */
  async function follow(): Promise<void> {
    while (!isDone) {
      let die = () => {};
      const dead = new Promise<"dead">((resolve) => {
        die = () => resolve("dead");
      });
      const process = trail(topic, faulty(random, () => die()));
      for (let end: unknown; end !== "dead" && !isDone; await pause(1)) end = await Promise.race([process.run(), dead]);
      kills += 1;
    }
  }

  const followers = Array.from({ length: 4 }, follow);
  // Sent while they read, and every tenth twice.
  for (let from = 0; from < events.length; from += 100) {
    const some = events.slice(from, from + 100);
    await at.send(topic, [...some, ...some.filter((_, nth) => nth % 10 === 0)]);
  }
  const calm = trail(topic, (request, pass) => pass(request));
  const count = async () => Number((await at.query("SELECT count(*) FROM admin.audit_entries"))[0]?.["count"]);
  // Slowly, or every run would be over before it has come to the last partition.
  for (; (await count()) < events.length; await pause(10)) at.clock.shift += 100;
  while ((await calm.run()).state !== "at-end") at.clock.shift += 1000;
  isDone = true;
  await Promise.all(followers);

  const entries = await wholeLog();
  expect(faultsIn(entries)).toEqual([]);
  expect(entries.map(({ id }) => id).toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  for (const caller of new Set(entries.map(({ actor }) => actor))) {
    const requests = entries.filter(({ actor }) => actor === caller).map(({ requestId }) => Number(requestId));
    expect({ caller, requests }).toEqual({ caller, requests: requests.toSorted((a, b) => a - b) });
  }
  const [head] = await at.query("SELECT sequence, hash FROM admin.audit_head");
  expect(head).toEqual({ sequence: String(events.length), hash: entries.at(-1)?.hash });
  expect(await at.query("SELECT * FROM events.given_up")).toEqual([]);
  expect(kills).toBeGreaterThan(5);
});
