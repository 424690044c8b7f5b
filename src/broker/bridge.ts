import { Hono } from "hono";
import { type BasicCredential, basicVerifier } from "../http/basic.ts";
import { healthBody, healthOf } from "../http/health.ts";
import type { Log } from "../http/log.ts";
import { slots } from "../http/slots.ts";
import { kafkaClient } from "./bridge/client.ts";
import { kafkaCluster } from "./bridge/cluster.ts";
import type { KafkaNetwork } from "./bridge/network.ts";
import { type Decompressors, decompression } from "./bridge/records/compression.ts";
import { restBroker } from "./rest/app.ts";
import { Refusal, unauthorized } from "./rest/refusal.ts";

export type BridgeNeeds = {
  network: KafkaNetwork;
  /** What the runtime has for codecs that neither the Web nor we have: zstd. */
  decompressors?: Decompressors | undefined;
  /** What callers must present (RFC 7617). */
  credentials: BasicCredential;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: Log;
};

export type Bridge = {
  fetch: (request: Request) => Promise<Response>;
  /** Says in the log whether Kafka can be reached; never throws. */
  greet: () => Promise<void>;
  close: () => void;
};

/** As it is for all services, and by its short name. */
const HEALTH = /^\/(actuator\/)?health(\/|$)/;
const HEALTH_MS = 1000;
const GREETING_MS = 5000;
/** Each may hold a body of a megabyte. */
const MAX_AT_ONCE = 128;
const MAX_REQUEST_MS = 60_000;

/** Confluent's REST v3, as far as the embedded broker has it, in front of an ordinary Kafka. */
export function brokerBridge({ network, decompressors = {}, credentials, now, log }: BridgeNeeds): Bridge {
  const client = kafkaClient({ network, now, log });
  const cluster = kafkaCluster({ client, now, log, decompress: decompression(decompressors) });
  const broker = restBroker({ cluster, now, log });
  const verify = basicVerifier(credentials);
  const underway = slots({ max: MAX_AT_ONCE, now });

  async function check(): Promise<{ status: "UP" }> {
    await cluster.about(now() + HEALTH_MS);
    return { status: "UP" };
  }

  // The client says it in the log, and when it is over.
  const healthAt = healthOf({ checks: { kafka: check }, now, sharesPending: true, log: () => {}, service: "broker" });
  const app = new Hono();
  app.on("GET", ["/health/*", "/actuator/health/*"], async (c) => {
    const path = c.req.path.replace(HEALTH, "");
    const found = await healthAt(path === "" ? [] : path.split("/"), HEALTH_MS);
    if (!found) return c.body(null, 404, { "cache-control": "no-store" });
    return c.json(healthBody(found, false), found.status === "DOWN" ? 503 : 200, { "cache-control": "no-store" });
  });
  app.all("*", async (c) => {
    // Who has no credential takes no place from those who have.
    if (!(await verify(c.req.header("authorization")))) return unauthorized().response();
    const giveBack = underway.take(now() + MAX_REQUEST_MS);
    if (!giveBack) return new Refusal(429, "Too many requests are under way.", { "retry-after": "1" }).response();
    return heldUntilRead(await broker.fetch(c.req.raw), giveBack);
  });

  return {
    fetch: async (request) => app.fetch(request),
    async greet() {
      await cluster.about(now() + GREETING_MS).catch(() => {});
    },
    close: client.close,
  };
}

/** A stream of reports goes on after the answer has begun. */
function heldUntilRead(response: Response, giveBack: () => void): Response {
  if (!response.body) {
    giveBack();
    return response;
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  // It settles when all is read, when the caller leaves, and when there is no more to come; the reader hears of what failed.
  response.body.pipeTo(writable).then(giveBack, giveBack);
  return new Response(readable, response);
}
