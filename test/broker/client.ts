import { type Broker, kafkaRest } from "../../src/broker/kafka-rest.ts";
import { beginCall, type Call } from "../../src/http/call.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { Problem } from "../../src/http/problem.ts";
import { fresh } from "../wire/broker/wire.ts";
import { embeddedUnderTest } from "./embedded.ts";

/** What becomes of a request on its way; undefined lets it through. */
type Fault = (request: Request, pass: () => Promise<Response>) => Promise<Response> | undefined;

export type ClientUnderTest = Awaited<ReturnType<typeof clientUnderTest>>;

/** An embedded broker, and clients of it whose requests are written down and may meet a fault. */
export async function clientUnderTest() {
  const under = await embeddedUnderTest();
  const authorization = `Basic ${Buffer.from(`${under.credentials?.username}:${under.credentials?.password}`).toString("base64")}`;

  const through: Fetch = async (request) => {
    on.journal.push(`${request.method} ${new URL(request.url).pathname}`);
    return on.fault(request, async () => under.fetch(request)) ?? under.fetch(request);
  };

  const on = {
    /** What was sent, as `method path`. */
    journal: [] as string[],
    fault: (() => undefined) as Fault,
    /** Past the journal and the fault. */
    fetch: under.fetch,
    client: (more: Partial<Parameters<typeof kafkaRest>[0]> = {}): Broker => kafkaRest({ url: under.baseUrl, authorization, fetch: through, now: Date.now, ...more }),
    creations: () => on.journal.filter((line) => line.startsWith("POST")),
    /** As it was at the beginning: nothing written down, no fault. */
    reset() {
      on.journal = [];
      on.fault = () => undefined;
    },
    close: under.close,
  };
  return on;
}

export function call(limit = 8000): Call {
  return beginCall(new Headers(), { now: Date.now(), limit });
}

export function topic(name = fresh("t-"), partitions = 2) {
  return { name, partitions, replicationFactor: 1 };
}

export async function problemOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => "no problem", (reason: unknown) => reason);
  return error instanceof Problem ? error.code : String(error);
}

export const isCreation = (request: Request) => request.method === "POST";

export const silent = () => new Promise<Response>(() => {});
