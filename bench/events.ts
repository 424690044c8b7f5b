// 100,000 events while the broker is away for a time, relays are killed at every step, and requests are lost, late and repeated: `npm run test:events`.
import process from "node:process";
import { relayUnderTest } from "../test/events/relay.ts";
import { FAULTS, judge, type Late, randomOf, relayAll, shakenRelay, type Tally } from "../test/events/relay-faults.ts";

const EVENTS = Number(process.argv[2] ?? 100_000);
const SEED = Number(process.argv[3] ?? 1);
const USERS = Math.ceil(EVENTS / 25);
const AT_ONCE = 1000;
const AWAY_MS = 600_000;

const under = await relayUnderTest();
const random = randomOf(SEED);
const written = new Map<string, string[]>();
const tally: Tally = {};
const late: Late = [];
const began = performance.now();

/** One phase of the run: what was written in it, and how long it took. */
function report(phase: string, since: number): number {
  console.log(`${phase.padEnd(48)} ${((performance.now() - since) / 1000).toFixed(1).padStart(7)} s`);
  return performance.now();
}

async function writeEvents(count: number): Promise<void> {
  for (let at = 0; at < count; at += AT_ONCE) {
    const events = Array.from({ length: Math.min(AT_ONCE, count - at) }, () => ({ key: `USR${String(Math.floor(random() * USERS)).padStart(26, "0")}`, data: { address: true, contact: false } }));
    for (const [index, id] of (await under.write(events)).entries()) {
      const { key } = events[index]!;
      const ids = written.get(key);
      if (ids) ids.push(id);
      else written.set(key, [id]);
    }
    under.clock.time += 1000;
  }
}

let since = began;
await writeEvents(EVENTS / 2);
since = report(`${EVENTS / 2} events written`, since);

let isAway = true;
const relays = [0, 1, 2].map(() => shakenRelay(under, { random, share: 0.1, kills: 0.1, tally, late }));
const calm = under.newRelay((step, request, pass) => (isAway && (step === "find" || step === "produce") ? FAULTS.refused() : pass(request)));
for (const end = under.clock.time + AWAY_MS; under.clock.time < end; under.clock.time += 1000) await calm.run();
isAway = false;
const [charged] = await under.stored.query("SELECT sum(attempts) AS attempts, count(sent_at) AS sent FROM events.outbox");
since = report(`the broker away for ${AWAY_MS / 60_000} minutes (attempts: ${charged?.["attempts"]}, sent: ${charged?.["sent"]})`, since);

await Promise.all([writeEvents(EVENTS - EVENTS / 2), relayAll(under, { relays, late, random })]);
await relayAll(under, { relays, late, random });
since = report(`${EVENTS - EVENTS / 2} more written while three relays run`, since);

const { events, lost, duplicates, outOfOrder, strange } = judge(written, await under.received());
report("what has arrived compared with what was written", since);
const kills = Object.entries(tally).filter(([name]) => name.startsWith("killed"));
const faults = Object.entries(tally).filter(([name]) => !name.startsWith("killed"));
const sum = (entries: [string, number][]) => entries.reduce((total, [, count]) => total + count, 0);
const [left] = await under.stored.query("SELECT count(*) FILTER (WHERE sent_at IS NULL) AS unsent, count(set_aside_at) AS aside FROM events.outbox");

console.log(`\nrelays killed   ${sum(kills)} times: ${kills.map(([name, count]) => `${name.slice("killed ".length)} ${count}`).toSorted().join(", ")}`);
console.log(`other faults    ${sum(faults)}: ${faults.map(([name, count]) => `${name} ${count}`).toSorted().join(", ")}\n`);
console.table([{ events, users: written.size, lost, duplicates, "out of order per user": outOfOrder, "never written": strange, "set aside": Number(left?.["aside"]), unsent: Number(left?.["unsent"]), seconds: Math.round((performance.now() - began) / 1000) }]);
await under.close();
if (lost + outOfOrder + strange + Number(left?.["unsent"]) > 0) process.exitCode = 1;
