import { describe, type Log } from "../../http/log.ts";
import { within, TooLate } from "../../http/within.ts";
import { type Address, CredentialsRefused, type KafkaConnection, type KafkaNetwork, Unanswered } from "./network.ts";
import { type Metadata, metadataRequest } from "./protocol/metadata.ts";
import type { Request } from "./protocol/request.ts";

/**
 * Requests of one lane follow each other on one connection, for a node takes up the next when the last is answered: what takes
 * long must not keep the others waiting.
 */
type Lane = "asking" | "reading" | "writing" | "changing";

type To = {
  lane: Lane;
  /** Milliseconds since the epoch. */
  until: number;
  /** Any that answers, without it. */
  node?: number;
};

export type KafkaClient = ReturnType<typeof kafkaClient>;

/** With TLS and proving who we are. */
const CONNECT_MS = 2000;
/** After so long without it the next node is dialled beside it: one that swallows everything must not keep all waiting. */
const HEAD_START_MS = 300;
/** Nothing comes any more on a connection that has owed an answer for so long. */
const SILENT_MS = 900;
/** A node that could not be reached, or did not want us, is left alone for so long. */
const PAUSE_MS = 200;
const REFUSED_PAUSE_MS = 2000;

/** Finds the nodes of a Kafka and keeps one connection to each for each lane, made anew when it has ended. */
export function kafkaClient({ network, now, log }: { network: KafkaNetwork; now: () => number; log: Log }) {
  const connections = new Map<string, { opening: Promise<KafkaConnection>; open?: KafkaConnection; again?: number }>();
  /** Since when each connection owes an answer without having given another. */
  const silent = new WeakMap<KafkaConnection, { owed: number; since: number }>();
  /** When each place kept somebody waiting the last time, until it does not. */
  const slow = new Map<string, number>();
  const nodes = new Map<number, Address>();
  let controller = -1;
  let isReachable: boolean | undefined;
  let isClosed = false;

  function note(reachable: boolean, error?: unknown): void {
    if (isReachable === reachable || isClosed) return;
    if (!reachable) log({ level: "warn", service: "broker", message: "Cannot reach Kafka", error: describe(error) });
    else if (isReachable === false) log({ level: "info", service: "broker", message: "Kafka can be reached again" });
    isReachable = reachable;
  }

  async function connect(to: Address, { lane, until }: To): Promise<KafkaConnection> {
    const key = `${lane} ${keyOf(to)}`;
    const held = connections.get(key);
    if (held?.open?.isOpen()) return held.open;
    const isWorthIt = !held || held.open || (held.again !== undefined && now() >= held.again);
    const made = isWorthIt ? open(key, to) : held;
    try {
      return await within(Math.max(1, until - now()), made.opening);
    } catch (cause) {
      if (cause instanceof CredentialsRefused) throw cause;
      throw new Unanswered(`Cannot connect to ${to.host}:${to.port}`, { mayBeDone: false, cause });
    }
  }

  function open(key: string, to: Address) {
    const dialled = network.connect(to);
    const opening = within(CONNECT_MS, dialled);
    const made: { opening: Promise<KafkaConnection>; open?: KafkaConnection; again?: number } = { opening };
    connections.set(key, made);
    opening.then(
      (connection) => {
        made.open = connection;
        slow.delete(keyOf(to));
        if (isClosed) connection.close();
      },
      (error: unknown) => {
        slow.set(keyOf(to), now());
        made.again = now() + (error instanceof CredentialsRefused ? REFUSED_PAUSE_MS : PAUSE_MS);
        // It may still come about, with nobody waiting for it.
        dialled.then((late) => late.close(), () => {});
      },
    );
    return made;
  }

  async function exchange<Answer>(connection: KafkaConnection, request: Request<Answer>, until: number): Promise<Answer> {
    const left = until - now();
    if (left <= 0) throw new Unanswered("There is no time left to ask Kafka", { mayBeDone: false, cause: undefined });
    let bytes: Uint8Array;
    try {
      bytes = await within(left, sent(connection, request));
    } catch (cause) {
      // What is not answered keeps everything behind it waiting; that one caller had little time says nothing of the others.
      if (cause instanceof TooLate && now() - (silent.get(connection)?.since ?? now()) >= SILENT_MS) connection.close();
      throw new Unanswered("Kafka did not answer", { mayBeDone: true, cause });
    }
    note(true);
    return request.read(bytes);
  }

  async function sent<Answer>(connection: KafkaConnection, request: Request<Answer>): Promise<Uint8Array> {
    const state = silent.get(connection) ?? { owed: 0, since: now() };
    silent.set(connection, state);
    if (state.owed === 0) state.since = now();
    state.owed += 1;
    try {
      return await connection.send(request);
    } finally {
      state.owed -= 1;
      state.since = now();
    }
  }

  /** The places that may answer for all: those that did before, then those that were named; last who kept somebody waiting last. */
  function places(): Address[] {
    const known = [...nodes.values()];
    const named = network.brokers.filter(({ host, port }) => !known.some((one) => one.host === host && one.port === port));
    const since = (place: Address) => slow.get(keyOf(place)) ?? 0;
    return [...known, ...named].toSorted((a, b) => since(a) - since(b));
  }

  async function connectAny(to: To): Promise<KafkaConnection> {
    const inOrder = places();
    for (const place of inOrder) {
      if (connections.get(`${to.lane} ${keyOf(place)}`)?.open?.isOpen()) return connect(place, to);
    }
    const attempts: Promise<KafkaConnection>[] = [];
    for (const place of inOrder) {
      const attempt = connect(place, to);
      attempts.push(attempt);
      try {
        return await within(Math.max(1, Math.min(HEAD_START_MS, to.until - now())), Promise.race([attempt, Promise.any(attempts)]));
      } catch (error) {
        if (error instanceof TooLate) slow.set(keyOf(place), now());
      }
      if (now() >= to.until) break;
    }
    try {
      return await Promise.any(attempts);
    } catch (error) {
      const failure = (error as AggregateError).errors.at(-1) ?? new Unanswered("No node is known", { mayBeDone: false, cause: undefined });
      // That a caller waited in vain for a moment says nothing of Kafka.
      if (now() < to.until) note(false, failure);
      throw failure;
    }
  }

  async function ask<Answer>(request: Request<Answer>, to: To): Promise<Answer> {
    const address = to.node === undefined ? undefined : nodes.get(to.node);
    const connection = address ? await connect(address, to) : await connectAny(to);
    return exchange(connection, request, to.until);
  }

  /** Asks what changes nothing: once more where a connection has turned out to be dead. */
  async function look<Answer>(request: Request<Answer>, to: To): Promise<Answer> {
    try {
      return await ask(request, to).catch((error: unknown) => {
        if (!(error instanceof Unanswered && error.mayBeDone) || error.cause instanceof TooLate) throw error;
        return ask(request, to);
      });
    } catch (error) {
      throw error instanceof Unanswered ? new Unanswered(error.message, { mayBeDone: false, cause: error.cause }) : error;
    }
  }

  return {
    ask,
    look,

    async metadata(until: number, asked: Parameters<typeof metadataRequest>[0]): Promise<Metadata> {
      const found = await look(metadataRequest(asked), { lane: "asking", until });
      if (found.nodes.length > 0) nodes.clear();
      for (const { id, host, port } of found.nodes) nodes.set(id, { host, port });
      controller = found.controller;
      return found;
    },

    /** The node that leads the cluster, where it is known. */
    controller: () => (nodes.has(controller) ? controller : undefined),

    close(): void {
      isClosed = true;
      for (const { open: connection } of connections.values()) connection?.close();
      connections.clear();
    },
  };
}

function keyOf({ host, port }: Address): string {
  return `${host}:${port}`;
}
