import { createClient, ErrorReply, RESP_TYPES } from "@redis/client";
import { SettingsError } from "../src/env.ts";
import type { Fetch } from "../src/http/fetch.ts";
import { describe, type Log } from "../src/http/log.ts";
import { within } from "../src/http/within.ts";
import { redisEndpoint } from "../src/redis/endpoint.ts";
import { type RedisRun, redisRun } from "../src/redis/run.ts";
import { redisTls } from "./redis-tls.ts";

export type OpenRedis = {
  /** What the gateway takes for its Redis, with `token` and `fetch`: `UPSTASH_REDIS_REST_URL`. */
  url: string;
  token: string;
  fetch: Fetch;
  close: () => void;
};

export type RedisPlace = {
  url: string;
  /** PEM of who may vouch for the server; without it, whom the runtime trusts. */
  authority?: string | undefined;
  log: Log;
};

const CONNECT_TIMEOUT_MS = 1000;
/** One that only follows may do so for long, and answers at once. */
const FOLLOWER_PAUSE_MS = 1000;
const MAX_RECONNECT_PAUSE_MS = 1000;
/** A command that waits longer will not be answered: the network would say so only after a quarter of an hour. */
const ANSWER_TIMEOUT_MS = 2000;

type Connection = { run: RedisRun; ready: Promise<unknown>; end: () => void };

/** An ordinary Redis behind Upstash's REST interface. One that is away keeps nothing from starting: it is reached when it is there. */
export async function openRedis({ url, authority, log }: RedisPlace): Promise<OpenRedis> {
  const token = crypto.randomUUID();
  const say = transitions(log);
  let isClosed = false;
  /** Until one has written. */
  let isFollowing = false;
  let leftAt = -Infinity;
  let current = connect();

  function connect(): Connection {
    const onReady = () => isFollowing || say.back();
    const connection = openConnection({ url, authority, onLost: say.lost, onReady, onStuck: (why) => renew(connection, why) });
    return connection;
  }

  function renew(unusable: Connection, why: Error): void {
    if (isClosed || current !== unusable) return;
    say.lost(why);
    unusable.end();
    current = connect();
  }

  function leave(follower: Connection, why: Error): void {
    isFollowing = true;
    if (performance.now() - leftAt < FOLLOWER_PAUSE_MS) return;
    leftAt = performance.now();
    renew(follower, why);
  }

  const run: RedisRun = async (work) => {
    const on = current;
    const timer = setTimeout(() => renew(on, stuck()), ANSWER_TIMEOUT_MS);
    try {
      const replies = await on.run(work);
      // After a failover this one may only follow: whoever connects anew may be led to the one that writes.
      const follows = replies.find((reply) => reply instanceof Error && /^(READONLY|MASTERDOWN)\b/.test(reply.message));
      if (follows) leave(on, follows as Error);
      else if (on === current) {
        isFollowing = false;
        say.back();
      }
      return replies;
    } finally {
      clearTimeout(timer);
    }
  };

  const app = redisEndpoint({ token, run });
  await within(CONNECT_TIMEOUT_MS, current.ready).catch(() => {});
  return { url: "http://redis.localhost", token, fetch: (request) => app.fetch(request), close };

  function close(): void {
    isClosed = true;
    current.end();
  }
}

type ConnectionNeeds = Pick<RedisPlace, "url" | "authority"> & { onLost: (error: unknown) => void; onReady: () => void; onStuck: (why: Error) => void };

function openConnection({ url, authority, onLost, onReady, onStuck }: ConnectionNeeds): Connection {
  const client = clientOf({ url, authority });
  let timer: ReturnType<typeof setTimeout> | undefined;
  client.on("error", onLost);
  // Whoever takes a connection may still say nothing on it.
  client.on("connect", () => {
    clearTimeout(timer);
    timer = setTimeout(() => client.isReady || onStuck(stuck()), ANSWER_TIMEOUT_MS);
  });
  client.on("ready", () => {
    clearTimeout(timer);
    onReady();
  });
  // It tries again for ever; only its end rejects, which somebody has asked for.
  const ready = client.connect().catch(() => {});
  const end = () => {
    clearTimeout(timer);
    client.destroy();
  };
  const run = redisRun({ sendCommand: (args) => client.sendCommand(args) }, (error) => error instanceof ErrorReply);
  return { run, ready, end };
}

function stuck(): Error {
  return new Error(`No answer within ${ANSWER_TIMEOUT_MS} ms`);
}

function clientOf({ url, authority }: Pick<RedisPlace, "url" | "authority">) {
  try {
    return createClient({
      url,
      RESP: 2,
      socket: {
        ...redisTls(authority),
        connectTimeout: CONNECT_TIMEOUT_MS,
        keepAliveInitialDelay: 10_000,
        reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, MAX_RECONNECT_PAUSE_MS) + 100 * Math.random(),
      },
      // What cannot be sent now is refused, so that the gateway counts for itself at once.
      disableOfflineQueue: true,
      clientInfoTag: "gatehouse",
      maintNotifications: "disabled",
      commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
    });
  } catch (cause) {
    if (cause instanceof SettingsError) throw cause;
    // What the client says may have the URL in it, and so the password.
    throw new SettingsError("Cannot use REDIS_URL: write redis://user:password@host:port/number, or rediss:// where it has TLS");
  }
}

/** Says once that Redis was lost, and once that it is back. */
function transitions(log: Log) {
  let isLost = false;
  return {
    lost(error: unknown): void {
      if (!isLost) log({ level: "warn", service: "redis", message: "Cannot reach Redis", error: describe(error) });
      isLost = true;
    },
    back(): void {
      if (isLost) log({ level: "info", service: "redis", message: "Redis is back" });
      isLost = false;
    },
  };
}
