import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN, person, type TestPlatform, testPlatform, type Wire } from "../platform.ts";
import { identityBears } from "../systems/embedded.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await testPlatform();
});
afterAll(() => platform.close());

/** More would be late of themselves. */
const AT_ONCE = identityBears({ real: 18, embedded: 108 });

type Step = { wire: "identity" | "database"; /** 1 for the first call of its kind. */ nth: number; matches: (request: Request) => boolean };

/** Every call of a registration to another system, in order. */
const STEPS: Record<string, Step> = {
  "S1 row": { wire: "database", nth: 1, matches: () => true },
  "own token": { wire: "identity", nth: 1, matches: ({ url }) => url.endsWith("/token") },
  "S2 identity": { wire: "identity", nth: 1, matches: ({ method, url }) => method === "POST" && url.endsWith("/users") },
  "S3 active": { wire: "database", nth: 2, matches: () => true },
  "S4 enabled": { wire: "identity", nth: 1, matches: ({ method }) => method === "PUT" },
  settled: { wire: "database", nth: 3, matches: () => true },
};

const never = new Promise<never>(() => {});

const FAULTS: Record<string, Wire> = {
  "answered with 503": () => new Response("Service Unavailable", { status: 503 }),
  "answered with 429": () => new Response("{}", { status: 429 }),
  "answered with 401": () => Response.json({ error: "HTTP 401 Unauthorized" }, { status: 401 }),
  "lost before": () => Promise.reject(new TypeError("fetch failed")),
  "lost after": async (request, pass) => {
    await pass(request);
    throw new TypeError("fetch failed");
  },
  "cut off after": async (request, pass) => {
    const whole = await pass(request);
    const text = await whole.text();
    return new Response(text.slice(0, text.length / 2), { status: whole.status });
  },
  "slow, done in the end": async (request, pass) => {
    const copy = request.clone();
    await pause(3500);
    await pass(new Request(copy, { signal: null }));
    return never;
  },
};

type Case = { name: string; status: Promise<number | "broken">; key: string | undefined; sent: ReturnType<typeof person> };

function begin(name: string, { step, fault, key }: { step: Step; fault: Wire | "killed before" | "killed after"; key: string | undefined }): Case {
  const seen = new Map<Step, number>();
  let isDead = false;
  const wire = (kind: Step["wire"]): Wire => async (request, pass) => {
    if (isDead) return never;
    if (kind !== step.wire || !step.matches(request)) return pass(request);
    const count = (seen.get(step) ?? 0) + 1;
    seen.set(step, count);
    if (count !== step.nth) return pass(request);
    if (typeof fault === "function") return fault(request, pass);
    if (fault === "killed after") await pass(request);
    isDead = true;
    return never;
  };
  const instance = platform.instance({ identity: wire("identity"), database: wire("database") });
  const sent = person();
  const headers = key === undefined ? {} : { "idempotency-key": key };
  const answered = instance.request("/api/users/register", { method: "POST", json: sent, headers }).then(({ status }) => status);
  const isKill = typeof fault !== "function";
  return { name, key, sent, status: isKill ? Promise.race([answered.then(() => "broken" as const), pause(500).then(() => "broken" as const)]) : answered };
}

/** What both stores have: the identities first, so that a row which one of them stands on cannot have come later. */
async function stored() {
  const identities = (await platform.operator.people()).filter(({ username }) => username !== ADMIN.username);
  const rows = await platform.database.query("SELECT lower(user_id) AS username, status, identity_id, email_key FROM users.users");
  return { identities, rows };
}

type Stored = Awaited<ReturnType<typeof stored>>;

/** Whoever may sign in without a row that says so. */
function enabledAlone({ identities, rows }: Stored): string[] {
  const active = new Set(rows.filter(({ status }) => status === "ACTIVE").map(({ identity_id }) => identity_id));
  return identities.filter(({ id, enabled }) => enabled && !active.has(id)).map(({ username }) => username);
}

/** Whoever breaks a promise of the registration, straight from both stores. */
async function settledViolations() {
  const { query } = platform.database;
  const both = await stored();
  const usernames = new Set(both.rows.map(({ username }) => username));
  const whole = new Set(both.identities.filter(({ enabled }) => enabled).map(({ id, username, email }) => [id, username, email].join()));
  return {
    enabledAlone: enabledAlone(both),
    activeWithoutIdentity: both.rows.filter(({ status, identity_id, username, email_key }) => status === "ACTIVE" && !whole.has([identity_id, username, email_key].join())),
    identityWithoutRow: both.identities.filter(({ username }) => !usernames.has(username)),
    wrongEvents: await query(`SELECT user_id FROM users.users u WHERE (SELECT count(*) FROM events.outbox o WHERE o.key = u.user_id AND o.type = 'user.registered')
      <> (status = 'ACTIVE')::int`),
    strayEvents: await query("SELECT key FROM events.outbox WHERE type = 'user.registered' AND key NOT IN (SELECT user_id FROM users.users)"),
    pending: await query("SELECT user_id FROM users.users WHERE status = 'PENDING' OR sync_due IS NOT NULL AND sync_due < now()"),
  };
}

const NOTHING = { enabledAlone: [], activeWithoutIdentity: [], identityWithoutRow: [], wrongEvents: [], strayEvents: [], pending: [] };

async function sweepUntilDone() {
  for (let round = 0; round < 12; round++) {
    await platform.sweep();
    platform.clock.offset += 6000;
  }
}

/** One case for every fault at every step, with a key and without; not begun yet. */
function everyCase(): (() => Case)[] {
  return Object.entries(STEPS).flatMap(([at, step]) =>
    [undefined, crypto.randomUUID()].flatMap((key) =>
      [...Object.entries(FAULTS), ...(["killed before", "killed after"] as const).map((kill) => [kill, kill] as const)].map(
        ([name, fault]) =>
          () =>
            begin(`${at}: ${name}${key ? ", with a key" : ""}`, { step, fault, key: key && `${key}-${name.replaceAll(" ", "-")}` }),
      ),
    ),
  );
}

/** What each case is answered; at no moment meanwhile may anybody be enabled alone. */
async function answersOf(cases: Case[]): Promise<(number | "broken")[]> {
  let isOver = false;
  const answers = Promise.all(cases.map(({ status }) => status)).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    expect(enabledAlone(await stored())).toEqual([]);
    await pause(100);
  }
  return answers;
}

test("whatever fails at whichever step, a registration is all or nothing", { timeout: 300_000 }, async () => {
  const cases: Case[] = [];
  const first: (number | "broken")[] = [];
  const all = everyCase();
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const begun = all.slice(at, at + AT_ONCE).map((start) => start());
    cases.push(...begun);
    first.push(...(await answersOf(begun)));
  }
  const unexpected = cases.map(({ name }, index) => ({ name, status: first[index] })).filter(({ status }) => ![201, 503, 504, "broken"].includes(status!));
  expect(unexpected).toEqual([]);
  // What was sent late has arrived.
  await pause(4000);

  platform.clock.offset += 20_000;
  await sweepUntilDone();

  // Every 201 stands, and the same key brings an unfinished registration to its end.
  for (const [index, { name, key, sent }] of cases.entries()) {
    const rows = await platform.database.query("SELECT user_id, status FROM users.users WHERE email_key = $1", [sent.emailId]);
    if (first[index] === 201) expect({ name, status: rows[0]?.["status"] }).toEqual({ name, status: "ACTIVE" });
    if (key === undefined) continue;
    const again = await platform.request("/api/users/register", { method: "POST", json: sent, headers: { "idempotency-key": key } });
    expect({ name, status: again.status }).toEqual({ name, status: 201 });
    const { userId } = (await again.json()) as { userId: string };
    if (rows[0]) expect({ name, userId }).toEqual({ name, userId: rows[0]["user_id"] });
  }

  // Half an hour later nothing is left between the systems.
  platform.clock.offset += 15 * 60_000;
  await sweepUntilDone();
  platform.clock.offset += 15 * 60_000;
  await sweepUntilDone();
  expect(await settledViolations()).toEqual(NOTHING);

  // An e-mail whose registration came to nothing is free again.
  for (const { name, sent } of cases) {
    const rows = await platform.database.query("SELECT 1 FROM users.users WHERE email_key = $1", [sent.emailId]);
    if (rows.length > 0) continue;
    const again = await platform.request("/api/users/register", { method: "POST", json: sent });
    expect({ name, status: again.status }).toEqual({ name, status: 201 });
  }
  expect(await settledViolations()).toEqual(NOTHING);
});
