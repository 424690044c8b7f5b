import { base64url } from "jose";
import { kafkaRest } from "../../src/broker/kafka-rest.ts";
import { recordReader } from "../../src/broker/reading.ts";
import { database } from "../../src/database/client.ts";
import { relay } from "../../src/events/relay.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { type Webhooks, webhooks, type WebhooksNeeds } from "../../src/webhooks/webhooks.ts";
import { signer } from "../http/signing.ts";
import type { Wire } from "../platform.ts";
import { adminPlatform } from "./instance.ts";

/** One request that reached a receiver. */
export type Received = { id: string; headers: Record<string, string>; body: string; at: number };

export type Receiver = (request: Request, nth: number) => Response | Promise<Response>;

export type WebhookPlatform = Awaited<ReturnType<typeof webhookPlatform>>;

export type Made = { id: string; secret: string };

const USER = "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6";
let hosts = 0;

/** A platform whose events reach receivers in this process, each at a host of its own. */
export async function webhookPlatform() {
  const platform = await adminPlatform();
  const { clock, database: stored, log, systems } = platform;
  // Stands still but for `advance`: how long this machine takes is not to matter.
  let time = clock.now();
  const now = () => time;
  const receivers = new Map<string, Fetch>();
  const reader = recordReader({ url: platform.brokerUrl, fetch: systems.broker, now });
  const relaying = relay({
    db: stored.db,
    broker: kafkaRest({ url: platform.brokerUrl, fetch: systems.broker, now }),
    log: (entry) => void log.push(entry),
    now,
    random: Math.random,
    newId: () => crypto.randomUUID(),
  });

  /** One more deliverer over the same queues; its database is reached through `wire`. */
  function newWebhooks({ wire, ...overrides }: Partial<WebhooksNeeds> & { wire?: Wire } = {}): Webhooks {
    const fetch: Fetch = wire ? (request) => wire(request, stored.fetch) : stored.fetch;
    return webhooks({
      db: database({ url: stored.url, endpoint: stored.endpoint, fetch, now, timeout: 5000 }),
      reader,
      now,
      log: (entry) => void log.push(entry),
      service: "admin-service",
      key: base64url.encode(new Uint8Array(32).fill(8)),
      randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
      random: () => 0,
      newId: () => crypto.randomUUID(),
      fetch: (request) => receivers.get(new URL(request.url).host)?.(request) ?? Promise.reject(new TypeError("fetch failed")),
      openness: { isLoopback: false, isPrivate: false },
      sharesPending: false,
      timeout: 100,
      ...overrides,
    });
  }

  const hooks = newWebhooks();
  const instance = platform.adminInstance({}, { webhooks: hooks });
  const { good } = await signer(platform);
  const call: typeof instance.call = async (method, path, init) => instance.call(method, path, { token: await good({ realm_access: { roles: ["ADMIN"] } }), ...init });

  /** A receiver at a host of its own that answers 204 unless told otherwise, and what has reached it. */
  function receiver(answer: Receiver = () => new Response(null, { status: 204 })) {
    const host = `receiver-${(hosts += 1)}.example.com`;
    const received: Received[] = [];
    receivers.set(host, async (request) => {
      const headers = Object.fromEntries(request.headers);
      received.push({ id: headers["webhook-id"] ?? "", headers, body: await request.text(), at: now() });
      return answer(request, received.length);
    });
    return { url: `https://${host}/hook?key=of-the-receiver`, received };
  }

  async function create(url: string, asked: Record<string, unknown> = { types: ["user.updated"] }): Promise<Made> {
    const response = await call("POST", "/api/admin/webhooks", { json: { url, ...asked } });
    if (response.status !== 201) throw new Error(`Cannot create a webhook: ${await response.text()}`);
    return (await response.json()) as Made;
  }

  /** A webhook of a receiver. */
  async function subscribed(answer?: Receiver, asked?: Record<string, unknown>) {
    const to = receiver(answer);
    return { ...to, ...(await create(to.url, asked)) };
  }

  /** Writes so many events that happen now, and answers their ids. */
  async function write(count = 1, type = "user.updated"): Promise<string[]> {
    const rows = await stored.query(
      `INSERT INTO events.outbox (topic, type, key, data, created_at)
       SELECT 'platform.users', $2, $3 || n, jsonb_build_object('userId', $3 || n, 'address', true, 'contact', false), to_timestamp($4::float8 / 1000) FROM generate_series(1, $1::int) AS n RETURNING id`,
      [String(count), type, USER, String(now())],
    );
    return rows.map(({ id }) => id ?? "");
  }

  async function state(id: string): Promise<Record<string, unknown>> {
    return (await (await call("GET", `/api/admin/webhooks/${id}`)).json()) as Record<string, unknown>;
  }

  function advance(milliseconds: number): void {
    time += milliseconds;
    // So that tokens are good.
    clock.offset += milliseconds;
  }

  return {
    ...platform,
    call,
    now,
    advance,
    hooks,
    newWebhooks,
    receiver,
    create,
    subscribed,
    write,
    relay: relaying.run,
    /** Brings what was written to whom it is for. */
    async deliver(): Promise<void> {
      await relaying.run();
      await hooks.run();
    },
    /** Sends what is due after so many milliseconds. */
    async later(milliseconds: number): Promise<void> {
      advance(milliseconds);
      await hooks.run();
    },
    state,
  };
}

/** A receiver that answers so, whatever it is sent. */
export const answer = (status: number, headers: Record<string, string> = {}) => () => new Response(null, { status, headers });

export const idsOf = (received: readonly Received[]) => received.map(({ id }) => id);
