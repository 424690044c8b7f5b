import { describe, type Log } from "../../../http/log.ts";
import { pause } from "../../../http/pause.ts";
import type { Appended, RecordToAppend, Topic } from "../../rest/cluster.ts";
import { away, notPresent, Refusal, unconfirmed } from "../../rest/refusal.ts";
import type { KafkaClient } from "../client.ts";
import { refusalOf } from "../judgement.ts";
import { Unanswered } from "../network.ts";
import { produceRequest, type Written } from "../protocol/producing.ts";
import { answerless, findTopic } from "../topics.ts";
import { producerId } from "./producer-id.ts";
import { type Batch, countOn, newQueue, numbered, putBack, type Queue, renew, takeBatch } from "./queue.ts";
import { leavesOpen, verdictOf } from "./verdict.ts";
import { enqueue } from "./waiting.ts";

const MAX_QUEUES = 10_000;
/** For how long it is tried again while giving up loses nothing. */
const PATIENCE_MS = 1000;
const PAUSE_MS = 50;

export type Producer = (until: number, to: { topic: Topic; records: RecordToAppend[] }) => Promise<(Appended | Refusal)[]>;

/**
 * An idempotent producer that waits for all replicas in sync. Not that of kafkajs: when a send has failed, or one partition of
 * several was refused, it gives the next records the numbers of those before, and Kafka takes them for repetitions and drops them.
 */
export function kafkaProducer({ client, now, log }: { client: KafkaClient; now: () => number; log: Log }): Producer {
  const queues = new Map<string, Queue>();
  const ready = new Set<Queue>();
  const id = producerId(client);

  function queueOf({ name, leaders }: Topic, partition: number): Queue {
    const key = `${name}/${partition}`;
    const leader = leaders[partition] ?? -1;
    const known = queues.get(key);
    if (known) return Object.assign(known, { leader });
    if (queues.size >= MAX_QUEUES) forgetIdle();
    const made = newQueue({ topic: name, partition, leader });
    queues.set(key, made);
    return made;
  }

  /** A queue must not begin anew under the same id: Kafka still knows its numbers. */
  function forgetIdle(): void {
    for (const [key, { waiting, isBusy }] of queues) if (!isBusy && waiting.length === 0) queues.delete(key);
    id.discard();
  }

  function wake(queue: Queue): void {
    if (queue.isBusy || queue.waiting.length === 0) return;
    // What is appended at once goes in one request for each node.
    if (ready.size === 0) queueMicrotask(sendReady);
    ready.add(queue);
  }

  function sendReady(): void {
    const some = [...ready].filter(({ waiting }) => waiting.length > 0);
    ready.clear();
    for (const [, led] of Map.groupBy(some, ({ leader }) => leader)) void deliver(led.map((queue) => takeBatch(queue, now())));
  }

  function free(queue: Queue): void {
    queue.isBusy = false;
    wake(queue);
  }

  /** Batches of partitions that one node leads. */
  async function deliver(batches: Batch[]): Promise<void> {
    try {
      const written = await send(batches);
      for (const batch of batches) {
        const { topic, partition } = batch.queue;
        const found = written.find((one) => one.topic === topic && one.partition === partition);
        if (found) judge(batch, found);
        else void again(batch, { mayBeKept: true });
      }
    } catch (error) {
      const told = answerless(error);
      if (!(told instanceof Refusal)) log({ level: "error", service: "broker", message: "Failed to write to Kafka", error: describe(error, true) });
      for (const batch of batches) {
        if (error instanceof Unanswered) void again(batch, { mayBeKept: error.mayBeDone });
        else if (told instanceof Refusal) refuse(batch, told);
        // An answer that cannot be read does not say.
        else refuse({ ...batch, mayBeKept: true }, unconfirmed());
      }
    }
  }

  async function send(batches: Batch[]): Promise<Written[]> {
    const until = Math.max(...batches.map((batch) => batch.until));
    const node = batches[0]?.queue.leader ?? -1;
    if (node < 0) throw new Unanswered("The partition has no leader", { mayBeDone: false, cause: undefined });
    for (const { queue } of batches) if (!queue.next && queue.spent !== undefined) id.discard(queue.spent);
    const producer = await id.get(until);
    for (const batch of batches) batch.bytes ??= numbered(batch, producer);
    const partitions = batches.map(({ queue: { topic, partition }, bytes }) => ({ topic, partition, batch: bytes ?? new Uint8Array() }));
    return client.ask(produceRequest({ partitions, timeout: Math.max(1, until - now()) }), { lane: "writing", until, node });
  }

  function judge(batch: Batch, written: Written): void {
    switch (verdictOf(written)) {
      case "keep":
        return keep(batch, written);
      case "split":
        return splitOrRefuse(batch, refusalOf(written));
      case "sift":
        return sift(batch, written);
      case "renumber":
        return void renumber(batch);
      case "again":
        return void again(batch, { mayBeKept: leavesOpen(written.code), why: refusalOf(written) });
      case "refuse":
        return refuse(batch, refusalOf(written));
    }
  }

  function keep({ queue, items }: Batch, { baseOffset, appendTime }: Written): void {
    countOn(queue, items.length);
    for (const [index, { record, settle }] of items.entries()) {
      settle({ offset: baseOffset + index, timestamp: appendTime >= 0 ? appendTime : record.timestamp });
    }
    free(queue);
  }

  /** What a batch is refused for may be of one record alone, and of each it was so from the first time it was sent. */
  function splitOrRefuse(batch: Batch, refusal: Refusal): void {
    if (batch.items.length === 1) return refuse({ ...batch, mayBeKept: false }, refusal);
    batch.queue.most = Math.ceil(batch.items.length / 2);
    putBack(batch);
    free(batch.queue);
  }

  function sift(batch: Batch, { faults, ...written }: Written): void {
    for (const { index, message } of faults) batch.items[index]?.settle(refusalOf({ ...written, message: message ?? written.message }));
    putBack(batch);
    free(batch.queue);
  }

  async function renumber(batch: Batch): Promise<void> {
    if (batch.mayBeKept) return refuse(batch, unconfirmed());
    renew(batch.queue);
    putBack(batch);
    // A Kafka that refuses every number is not asked without end.
    await pause(PAUSE_MS);
    free(batch.queue);
  }

  function refuse({ queue, items, mayBeKept }: Batch, refusal: Refusal): void {
    if (mayBeKept) renew(queue);
    for (const { settle } of items) settle(mayBeKept ? unconfirmed() : refusal);
    free(queue);
  }

  async function again(batch: Batch, { mayBeKept, why = away() }: { mayBeKept: boolean; why?: Refusal }): Promise<void> {
    batch.mayBeKept ||= mayBeKept;
    const limit = batch.mayBeKept ? batch.until : Math.min(batch.until, batch.began + PATIENCE_MS);
    if (now() + PAUSE_MS >= limit) return refuse(batch, why);
    await pause(PAUSE_MS);
    const topic = await findTopic(client, limit, { name: batch.queue.topic }).catch(() => "not known" as const);
    if (topic === undefined) return refuse(batch, notPresent(batch.queue.topic));
    if (topic === "not known") return again(batch, { mayBeKept: false, why });
    batch.queue.leader = topic.leaders[batch.queue.partition] ?? -1;
    return deliver([batch]);
  }

  return async (until, { topic, records }) => {
    const calls = records.map((record) => {
      const queue = queueOf(topic, record.partition);
      const call = enqueue(queue, { record, until });
      wake(queue);
      return call;
    });
    const timer = setTimeout(() => {
      for (const { giveUp } of calls) giveUp();
    }, Math.max(0, until - now()));
    try {
      return await Promise.all(calls.map(({ outcome }) => outcome));
    } finally {
      clearTimeout(timer);
    }
  };
}
