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
/** A node that could not be reached, or did not want us, is left alone for so long. */
const PAUSE_MS = 200;
const REFUSED_PAUSE_MS = 2000;

/** Finds the nodes of a Kafka and keeps one connection to each for each lane, made anew when it has ended. */
export function kafkaClient({ network, now, log }: { network: KafkaNetwork; now: () => number; log: Log }) {
  const connections = new Map<string, { opening: Promise<KafkaConnection>; open?: KafkaConnection; again?: number }>();
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
    const key = `${lane} ${to.host}:${to.port}`;
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
        if (isClosed) connection.close();
      },
      (error: unknown) => {
        made.again = now() + (error instanceof CredentialsRefused ? REFUSED_PAUSE_MS : PAUSE_MS);
        // It may still come about, with nobody waiting for it.
        dialled.then((late) => late.close(), () => {});
      },
    );
    return made;
  }

  async function exchange<Answer>(connection: KafkaConnection, request: Request<Answer>, until: number): Promise<Answer> {
    let bytes: Uint8Array;
    try {
      bytes = await within(Math.max(1, until - now()), connection.send(request));
    } catch (cause) {
      // What is not answered in time keeps everything behind it waiting.
      if (cause instanceof TooLate) connection.close();
      throw new Unanswered("Kafka did not answer", { mayBeDone: true, cause });
    }
    note(true);
    return request.read(bytes);
  }

  /** The places that may answer for all: those that did before, then those that were named. */
  function places(): Address[] {
    const known = [...nodes.values()];
    const named = network.brokers.filter(({ host, port }) => !known.some((one) => one.host === host && one.port === port));
    return [...known, ...named];
  }

  async function connectAny(to: To): Promise<KafkaConnection> {
    let failure: unknown = new Unanswered("No node is known", { mayBeDone: false, cause: undefined });
    for (const place of places()) {
      if (connections.get(`${to.lane} ${place.host}:${place.port}`)?.open?.isOpen()) return connect(place, to);
    }
    for (const place of places()) {
      try {
        return await connect(place, to);
      } catch (error) {
        failure = error;
      }
      if (now() >= to.until) break;
    }
    // That a caller waited in vain for a moment says nothing of Kafka.
    if (now() < to.until) note(false, failure);
    throw failure;
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
