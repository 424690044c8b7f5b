import type { Call } from "../../http/call.ts";
import { describe, type Log } from "../../http/log.ts";
import { problemIn } from "../../http/problem.ts";
import type { Fed, Feed } from "./feed.ts";

export type StreamNeeds = {
  now: () => number;
  log: Log;
  /** Waits for so many milliseconds. */
  pause: (milliseconds: number) => Promise<void>;
};

type Streaming = {
  feed: Feed;
  call: Call;
  /** Whether who listens may still do so. */
  isAllowed: () => Promise<boolean>;
  onEnd: () => void;
};

type Telling = Pick<Streaming, "feed" | "call"> & { mayGoOn: () => Promise<boolean> };

/** With the requests of a stream in it, and those that keep its caller's rights known, within what a Worker may send for one request. */
export const LIFETIME_MS = 120_000;
const MAX_READS = 500;
const READ_MS = 5000;
/** Between two looks at a broker that had nothing. */
const PAUSE_MS = 2000;
const HEARTBEAT_MS = 15_000;
const REFRESH_MS = 30_000;
/** What a client waits before it comes again. */
const RETRY_MS = 2000;

/**
 * Events as server-sent ones (HTML, 9.2), read from the broker as fast as they are taken from here. Ends by itself, and a client
 * comes again with the last id that it got. That stands in each event, at the beginning and in each heartbeat: so nothing
 * is missed also by who has got none yet.
 */
export function eventStream(needs: StreamNeeds, { onEnd, isAllowed, ...streaming }: Streaming): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;
  const texts = textsOf(needs, { ...streaming, mayGoOn: async () => !isEnded && (await isAllowed()) });
  const utf8 = new TextEncoder();

  function end(): void {
    isEnded = true;
    clearTimeout(timer);
    onEnd();
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // One who takes nothing any more is not waited for.
        timer ??= setTimeout(() => {
          if (isEnded) return;
          end();
          controller.close();
        }, LIFETIME_MS);
        const { value } = await texts.next().catch((error: unknown) => {
          needs.log({ level: "error", service: "admin-service", message: "A stream of events failed", error: describe(error, true) });
          return { value: undefined };
        });
        if (isEnded) return;
        if (value) return controller.enqueue(utf8.encode(value));
        end();
        controller.close();
      },
      cancel() {
        end();
      },
    },
    // Nothing is read from the broker before somebody listens.
    { highWaterMark: 0 },
  );
}

async function* textsOf({ now, pause }: StreamNeeds, { feed, call: { traceId, traceparent, requestId }, mayGoOn }: Telling): AsyncGenerator<string, void> {
  const until = now() + LIFETIME_MS;
  const newCall = (): Call => ({ traceId, traceparent, requestId, deadline: now() + READ_MS });
  let reads = 0;
  let beatAt = now() + HEARTBEAT_MS;
  let refreshAt = now() + REFRESH_MS;
  yield `retry: ${RETRY_MS}\nid: ${feed.id()}\n\n`;

  while (now() < until && (await mayGoOn())) {
    let isIdle = true;
    for (const at of feed.partitions()) {
      if (now() >= until || reads >= MAX_READS || !(await mayGoOn())) return;
      reads += 1;
      const fed = await unlessAway(feed.read(newCall(), at), []);
      if (!fed) return;
      if (fed.length === 0) continue;
      isIdle = false;
      yield fed.map(textOf).join("");
    }
    if (now() >= beatAt) {
      beatAt = now() + HEARTBEAT_MS;
      yield `:\nid: ${feed.id()}\n\n`;
    }
    if (now() >= refreshAt) {
      refreshAt = now() + REFRESH_MS;
      await unlessAway(feed.refresh(newCall()), undefined);
    }
    if (isIdle) await pause(PAUSE_MS);
  }
}

function textOf({ id, event }: Fed): string {
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** What `work` comes to; `otherwise` when the broker is away, which may be back at the next look. */
async function unlessAway<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!problemIn(error)) throw error;
    return otherwise;
  }
}
