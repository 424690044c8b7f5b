import type { Delivery } from "../broker/produce.ts";
import type { Broker } from "../broker/kafka-rest.ts";
import { beginCall, type Call } from "../http/call.ts";
import { describe, type Log } from "../http/log.ts";
import { batchesOf, MAX_EVENT_BYTES, type Sending, sendingOf } from "./relay-batches.ts";
import type { RelayStore, Taken, Verdict } from "./relay-store.ts";

export type TopicRelayNeeds = {
  store: RelayStore;
  broker: Pick<Broker, "produce" | "describeTopics" | "createTopic">;
  log: Log;
  now: () => number;
  /** Uniform in [0, 1). */
  random: () => number;
  newId: () => string;
};

/** Keys of one statement: as many records as one request takes. */
const KEYS = 100;
const MAX_ATTEMPTS = 5;
/**
 * Thrice what a request may take, and none is sent in the last two thirds of it. So while a lease runs out, a request
 * whose answer was lost has reached the broker, or has been dead for five seconds: nothing of it comes after the next event.
 */
const LEASE_MS = 15_000;
const REQUEST_MS = 5000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 30_000;

/**
 * Relays the events of one topic: `run` until none is left that may be sent now, or until `until`. When the broker or the
 * topic is not there, no event is charged with it: the topic rests, longer each time, and is looked for before more is taken.
 */
export function topicRelay(topic: { name: string; partitions: number }, needs: TopicRelayNeeds) {
  const { store, broker, log, now, random, newId } = needs;
  let after: string | undefined;
  let isThere = false;
  let failures = 0;
  let restsUntil = 0;

  async function run(until: number): Promise<void> {
    if (now() < restsUntil) return;
    const reason = await (isThere ? deliverAll(until) : findTopic().then((fault) => fault ?? deliverAll(until)));
    if (reason === undefined) return void (failures = 0);
    isThere = false;
    failures += 1;
    restsUntil = now() + jittered(Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (failures - 1)));
    if (failures === 1) log({ level: "warn", service: "relay", message: `Cannot relay to "${topic.name}" for now`, error: reason });
  }

  /** Why the topic cannot be had; undefined once it is there. */
  async function findTopic(): Promise<string | undefined> {
    const call = newCall();
    try {
      const isFound = async () => (await broker.describeTopics(call, { names: [topic.name] })).found.length > 0;
      if (!(await isFound())) {
        // Below 1, the broker decides on the replicas.
        const creation = await broker.createTopic(call, { ...topic, replicationFactor: -1 });
        // Another relay may have made it meanwhile.
        if (creation.outcome === "refused" && !(await isFound())) return creation.reason;
      }
      isThere = true;
      return undefined;
    } catch (error) {
      return describe(error);
    }
  }

  /** Why it had to stop; undefined when nothing is left to do, or no time. */
  async function deliverAll(until: number): Promise<string | undefined> {
    for (let isWhole = after === undefined, count = 0; now() < until; ) {
      const began = now();
      const lease = { holder: newId(), until: began + LEASE_MS };
      const { taken, last } = await store.take({ topic: topic.name, after, lease, now: began, limit: KEYS, maxBytes: MAX_EVENT_BYTES });
      after = last;
      count += taken.length;
      const fault = taken.length > 0 ? await deliver(taken, { holder: lease.holder, before: began + LEASE_MS / 3 }) : undefined;
      if (fault !== undefined) return fault;
      if (last !== undefined) continue;
      // Only a walk over all the keys that finds nothing to take says that nothing is left.
      if (isWhole && count === 0) return undefined;
      isWhole = true;
      count = 0;
    }
    return undefined;
  }

  async function deliver(taken: Taken[], { holder, before }: { holder: string; before: number }): Promise<string | undefined> {
    const verdicts: Verdict[] = [];
    const sendings: Sending[] = [];
    for (const event of taken) {
      const sending = sendingOf(event);
      if (sending) sendings.push(sending);
      else verdicts.push(refused(event, "too-large"));
    }
    let fault: string | undefined;
    for (const batch of batchesOf(sendings)) {
      const isInTime = fault === undefined && now() <= before;
      const deliveries = isInTime ? await send(batch) : batch.map(() => ({ outcome: "held" as const, code: null }));
      for (const [index, delivery] of deliveries.entries()) verdicts.push(...verdictOn(batch[index]!.taken, delivery));
      if (isInTime) fault = faultIn(deliveries);
    }
    const settle = () => store.settle(verdicts, { holder, now: now(), maxAttempts: MAX_ATTEMPTS });
    // Only the first has an effect, so an answer that was lost is asked for again.
    for (const { id, type, code } of await settle().catch(settle)) {
      log({ level: "warn", service: "relay", message: `Set aside the event "${id}" of type "${type}"`, code });
    }
    if (fault === undefined) failures = 0;
    return fault;
  }

  /** Throws nothing: a broker that was not there has been sent nothing. */
  async function send(batch: Sending[]): Promise<Delivery[]> {
    const records = batch.map(({ record }) => record);
    return broker.produce(newCall(), { topic: topic.name, records }).catch((error: unknown) => batch.map(() => ({ outcome: "held" as const, code: describe(error) })));
  }

  /** None for an event that may have been kept: its lease runs on, so that nothing overtakes it. */
  function verdictOn({ position, attempts }: Taken, { outcome, code }: Delivery): Verdict[] {
    if (outcome === "unknown") return [];
    if (outcome === "refused") return [refused({ position, attempts }, code)];
    return [{ position, outcome: outcome === "kept" ? "sent" : "held", code: null, pause: 0 }];
  }

  function refused({ position, attempts }: Pick<Taken, "position" | "attempts">, code: string | null): Verdict {
    const pause = jittered(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts));
    return { position, outcome: "refused", code, pause };
  }

  /** Between half of it and all. */
  function jittered(milliseconds: number): number {
    return milliseconds * (0.5 + random() / 2);
  }

  function newCall(): Call {
    return beginCall(new Headers(), { now: now(), limit: REQUEST_MS });
  }

  return { run };
}

/** What says that the broker or the topic is not there, among what it answered. */
function faultIn(deliveries: Delivery[]): string | undefined {
  const fault = deliveries.find(({ outcome }) => outcome === "held" || outcome === "unknown");
  return fault && `The broker answered ${fault.code}`;
}
