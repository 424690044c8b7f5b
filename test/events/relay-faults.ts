import type { Fetch } from "../../src/http/fetch.ts";
import { reportsIn } from "../wire/broker/wire.ts";
import type { Between, RelayUnderTest, Step } from "./relay.ts";

/** Uniform in [0, 1), the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
  };
}

/** One thing that can go wrong with one request. */
export type Fault = (request: Request, pass: Fetch) => Response | Promise<Response>;

const gone = (): never => {
  throw new TypeError("fetch failed");
};

/** For any step. */
export const FAULTS = {
  refused: () => gone(),
  "reset after": async (request, pass) => (await pass(request), gone()),
  "503": () => new Response("<h1>Unavailable</h1>", { status: 503 }),
  "503 after": async (request, pass) => (await pass(request), new Response(null, { status: 503 })),
  truncated: async (request, pass) => {
    const response = await pass(request);
    const text = await response.text();
    return new Response(text.slice(0, text.length / 2), response);
  },
} satisfies Record<string, Fault>;

/** For what is sent to the broker. */
export const RECORD_FAULTS = {
  /** The network has it twice. */
  twice: async (request, pass) => {
    await (await pass(request.clone())).text();
    return pass(request);
  },
  /** Some are not kept, for a passing reason; others are, but the answer does not say so. */
  "some fail": async (request, pass) => {
    const lines = (await request.clone().text()).split("\n");
    const kept = lines.filter((_, index) => index % 3 !== 0);
    const reports = kept.length > 0 ? reportsIn(await (await pass(withBody(request, kept.join("\n")))).text()) : [];
    const answer = lines.map((_, index) => {
      const report = index % 3 === 0 ? { error_code: 50003, message: "Not enough replicas" } : reports.shift();
      return JSON.stringify(index % 3 === 1 ? { error_code: 50002, message: "Request timed out" } : report);
    });
    return new Response(answer.join("\r\n"), { headers: { "content-type": "application/json" } });
  },
  "gone topic": async (request) => {
    const lines = (await request.text()).split("\n");
    return new Response(lines.map(() => '{"error_code":40401,"message":"Topic not present"}').join("\r\n"));
  },
  throttled: () => Response.json({ error_code: 42901, message: "Too many requests" }, { status: 429 }),
} satisfies Record<string, Fault>;

export function withBody(request: Request, body: string): Request {
  return new Request(request.url, { method: "POST", headers: request.headers, body });
}

/** What reaches the broker long after its sender has given up: at most this much later. */
const LATEST_MS = 9000;

export type Tally = Record<string, number>;

type Chaos = {
  random: () => number;
  /** How likely a fault is at each step. */
  share: number;
  /** How likely the relay ends at each step, half before what it asks for is done, half after. */
  kills: number;
  tally: Tally;
};

/** Requests that are still on their way to the broker. */
export type Late = { at: number; deliver: () => Promise<unknown> }[];

/** A relay that meets faults at every step, and is replaced each time it is killed. */
export function shakenRelay(under: RelayUnderTest, { random, share, kills, tally, late }: Chaos & { late: Late }) {
  const count = (name: string) => void (tally[name] = (tally[name] ?? 0) + 1);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;

  function begin() {
    let isDead = false;
    const between: Between = async (step, request, pass) => {
      if (isDead) return gone();
      // Time passes with every exchange.
      under.clock.time += Math.floor(random() * 200);
      if (random() < kills) {
        const isAfter = random() < 0.5;
        count(`killed ${isAfter ? "after" : "before"} ${step}`);
        if (isAfter) await pass(request);
        isDead = true;
        return gone();
      }
      if (random() >= share) return pass(request);
      const [name, fault] = pick(faultsOf(step));
      count(name);
      return fault(request, pass);
    };
    const relay = under.newRelay(between, random);
    return { run: relay.run, isDead: () => isDead };
  }

  function faultsOf(step: Step): [string, Fault][] {
    const delayed: Fault = async (request, pass) => {
      const copy = request.clone();
      const text = await copy.text();
      late.push({ at: under.clock.time + random() * LATEST_MS, deliver: async () => (await pass(withBody(request, text))).text() });
      return gone();
    };
    return [...Object.entries(FAULTS), ...(step === "produce" ? [...Object.entries(RECORD_FAULTS), ["late", delayed] as [string, Fault]] : [])];
  }

  let relay = begin();
  return {
    /** One run; whatever becomes of it, there is a relay again afterwards. */
    async run(): Promise<void> {
      await relay.run().catch(() => {});
      if (relay.isDead()) relay = begin();
    },
  };
}

/** Runs all relays at once, over and over, until nothing is pending and nothing is on its way. */
export async function relayAll(under: RelayUnderTest, { relays, late, random }: { relays: { run: () => Promise<void> }[]; late: Late; random: () => number }): Promise<void> {
  for (;;) {
    await Promise.all(relays.map(({ run }) => run()));
    under.clock.time += Math.floor(random() * 3000);
    const due = late.filter(({ at }) => at <= under.clock.time);
    late.splice(0, late.length, ...late.filter(({ at }) => at > under.clock.time));
    for (const { deliver } of due) await deliver();
    if (late.length === 0 && (await under.pending()) === 0) return;
  }
}

export type Judgement = { events: number; lost: number; duplicates: number; outOfOrder: number; strange: number };

/** What of `written` (key → ids in order) has arrived, and how. */
export function judge(written: Map<string, string[]>, received: Map<string, string[]>): Judgement {
  const judgement: Judgement = { events: 0, lost: 0, duplicates: 0, outOfOrder: 0, strange: 0 };
  for (const [key, ids] of written) {
    const arrived = received.get(key) ?? [];
    const nth = new Map(ids.map((id, index) => [id, index]));
    const seen = new Set(arrived);
    judgement.events += ids.length;
    judgement.lost += ids.filter((id) => !seen.has(id)).length;
    judgement.duplicates += arrived.length - seen.size;
    judgement.strange += arrived.filter((id) => !nth.has(id)).length;
    // Also a repetition is out of order when it comes after a later event.
    for (const [index, id] of arrived.entries()) if (index > 0 && nth.get(id)! < nth.get(arrived[index - 1]!)!) judgement.outOfOrder += 1;
  }
  for (const [key, ids] of received) if (!written.has(key)) judgement.strange += ids.length;
  return judgement;
}
