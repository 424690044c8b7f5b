import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { keysOf, type RelayUnderTest, relayUnderTest, SECOND, type Step } from "./relay.ts";
import { FAULTS, judge, type Late, randomOf, RECORD_FAULTS, relayAll, shakenRelay, type Tally } from "./relay-faults.ts";

let under: RelayUnderTest;
beforeAll(async () => void (under = await relayUnderTest()));
beforeEach(() => under.reset());
afterAll(() => under.close());

test("what may have been sent is not overtaken until it cannot arrive any more", async () => {
  const all = await under.writeEach(2, ["USR1"]);
  const [first, second] = all.get("USR1")!;
  const late: (() => unknown)[] = [];
  const relays = [0, 1].map(() =>
    under.newRelay(async (step, request, pass) => {
      if (step !== "produce" || late.length > 0) return pass(request);
      const copy = request.clone();
      late.push(() => pass(copy));
      throw new TypeError("fetch failed");
    }),
  );
  for (let passed = 0; passed < 9; passed++, under.clock.time += SECOND) for (const relay of relays) await relay.run();
  expect(await under.received()).toEqual(new Map());
  await late[0]!();
  for (let passed = 0; passed < 9; passed++, under.clock.time += SECOND) for (const relay of relays) await relay.run();
  expect((await under.received()).get("USR1")).toEqual([first, first, second]);
});

test("a relay that lost its lease while it was held up has no say any more", async () => {
  await under.writeEach(2, ["USR1"]);
  const other = under.newRelay();
  const heldUp = under.newRelay(async (step, request, pass) => {
    if (step === "settle") {
      under.clock.time += 16 * SECOND;
      // The other one's answer is lost: whether the first event arrived a second time is open.
      const doubtful = under.newRelay((at, sent, on) => (at === "produce" ? FAULTS["reset after"](sent, on) : on(sent)));
      await doubtful.run();
    }
    return pass(request);
  });
  await heldUp.run();
  expect(await under.stored.query("SELECT count(sent_at) AS sent FROM events.outbox")).toEqual([{ sent: "0" }]);
  under.clock.time += 16 * SECOND;
  await other.run();
  expect(await under.pending()).toBe(0);
});

const STEPS: Step[] = ["find", "take", "produce", "settle", "tidy"];
const single: [string, Step][] = STEPS.flatMap((step) => Object.keys({ ...FAULTS, ...(step === "produce" ? RECORD_FAULTS : {}) }).map((name): [string, Step] => [name, step]));

test.each(single)("nothing is lost or comes out of order after: %s, at %s", async (name, at) => {
  const all = await under.writeEach(3, keysOf(20));
  const fault = { ...FAULTS, ...RECORD_FAULTS }[name as keyof typeof FAULTS];
  let left = 2;
  const relays = [0, 1].map(() => under.newRelay((step, request, pass) => (step === at && left-- > 0 ? fault(request, pass) : pass(request))));
  await relayAll(under, { relays: relays.map(({ run }) => ({ run: () => run().catch(() => {}) })), late: [], random: () => 0.5 });
  expect(judge(all, await under.received())).toMatchObject({ events: 60, lost: 0, outOfOrder: 0, strange: 0 });
});

test.each([1, 2, 3, 4])("two relays, killed and disturbed at every step, lose nothing and keep the order of each key (seed %i)", async (seed) => {
  const random = randomOf(seed);
  const all = await under.writeEach(25, keysOf(25));
  const [late, tally]: [Late, Tally] = [[], {}];
  const relays = [0, 1].map(() => shakenRelay(under, { random, share: 0.15, kills: 0.08, tally, late }));
  await relayAll(under, { relays, late, random });
  expect(judge(all, await under.received())).toMatchObject({ events: 625, lost: 0, outOfOrder: 0, strange: 0 });
  expect(Object.keys(tally).length).toBeGreaterThan(10);
});
