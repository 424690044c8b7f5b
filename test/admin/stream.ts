import { setTimeout as pause } from "node:timers/promises";
import { kafkaRest } from "../../src/broker/kafka-rest.ts";
import { relay } from "../../src/events/relay.ts";
import { signer } from "../http/signing.ts";
import { type AdminPlatform, adminPlatform } from "./instance.ts";

export type StreamPlatform = Awaited<ReturnType<typeof streamPlatform>>;

/** One block of a stream of server-sent events. */
export type Block = { id?: string; comment?: true; retry?: string; data?: { id: string; type: string; subject: string; data: Record<string, unknown> } };

/** A platform whose streams pause for no time; by the clock, for as long as they mean to where `isHurried`. */
export async function streamPlatform(options: Parameters<typeof adminPlatform>[0] = {}) {
  const platform = await adminPlatform(options);
  const { clock, database: stored, log, systems } = platform;
  const { now } = clock;
  const { good } = await signer(platform);
  const relaying = relay({
    db: stored.db,
    broker: kafkaRest({ url: platform.brokerUrl, fetch: systems.broker, now }),
    log: (entry) => void log.push(entry),
    now,
    random: Math.random,
    newId: () => crypto.randomUUID(),
  });
  let isHurried = false;
  const rest = async (milliseconds: number) => {
    if (isHurried) clock.offset += milliseconds;
    await pause(2);
  };

  /** What `work` comes to while time flies. */
  async function hurried<T>(work: () => Promise<T>): Promise<T> {
    isHurried = true;
    return work().finally(() => {
      isHurried = false;
    });
  }

  function newInstance(...[wires, overrides]: Parameters<AdminPlatform["adminInstance"]>) {
    const instance = platform.adminInstance(wires, { pause: rest, ...overrides });
    return {
      ...instance,
      /** Opens a stream, of what comes from now on unless the query says otherwise. */
      open: async ({ query = "", after, token, method = "GET" }: { query?: string; after?: string | undefined; token?: string; method?: string } = {}): Promise<Response> =>
        instance.call(method, `/api/admin/events${query}`, {
          token: token ?? (await good({ realm_access: { roles: ["ADMIN"] } })),
          headers: after === undefined ? {} : { "last-event-id": after },
        }),
    };
  }

  let numbers = 0;

  /** So many events of each of some users, in the topic; their numbers rise. */
  async function publish(count: number, { users = ["USR1", "USR2", "USR3", "USR4", "USR5"], type = "user.updated", topic = "platform.users" } = {}): Promise<string[]> {
    const rows = Array.from({ length: count }, () => users.map((key) => ({ key, number: (numbers += 1) }))).flat();
    const written = await stored.query(
      `INSERT INTO events.outbox (topic, type, key, data, created_at)
       SELECT $2, $3, key, jsonb_build_object('userId', key, 'number', number), to_timestamp($4::float8 / 1000) FROM jsonb_to_recordset($1::jsonb) AS e(key text, number int) RETURNING id`,
      [JSON.stringify(rows), topic, type, String(now())],
    );
    await relaying.run();
    return written.map(({ id }) => id ?? "");
  }

  return { ...platform, ...newInstance(), newInstance, hurried, publish, relay: relaying.run, adminToken: good };
}

/** The blocks of a stream, one by one, until somebody ends it. */
export async function* blocksIn({ body }: Response): AsyncGenerator<Block, void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) yield blockIn(block);
  }
  if (text !== "") throw new Error(`The stream ends within a block: ${text}`);
}

function blockIn(text: string): Block {
  const block: Block = {};
  for (const line of text.split("\n")) {
    const [, name = "", value = ""] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
    if (name === "") block.comment = true;
    else if (name === "data") block.data = JSON.parse(value) as NonNullable<Block["data"]>;
    else if (name === "id" || name === "retry") block[name] = value;
    else throw new Error(`What is "${line}"?`);
  }
  return block;
}

/** The first so many events of a stream, which is left then; all until its end, unless told. */
export async function eventsIn(response: Response, count = Infinity): Promise<Block[]> {
  if (response.status !== 200) throw new Error(`No stream: ${await response.text()}`);
  return someOf(blocksIn(response), count);
}

export async function someOf(blocks: AsyncGenerator<Block, void>, count: number): Promise<Block[]> {
  const events: Block[] = [];
  for await (const block of blocks) {
    if (block.data) events.push(block);
    if (events.length >= count) break;
  }
  return events;
}

export const idsOf = (events: readonly Block[]): string[] => events.map(({ data }) => data?.id ?? "");
