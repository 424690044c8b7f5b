import type { RecordReader } from "../../broker/reading.ts";
import type { VerifyBearer } from "../../http/bearer.ts";
import { pause } from "../../http/pause.ts";
import { Problem } from "../../http/problem.ts";
import { slots } from "../../http/slots.ts";
import type { Operate } from "../operate.ts";
import { openFeed } from "./feed.ts";
import { streamEvents } from "./routes.ts";
import { eventStream, LIFETIME_MS, type StreamNeeds } from "./stream.ts";

export type EventStreamNeeds = Omit<StreamNeeds, "pause"> & {
  reader: RecordReader;
  verify: VerifyBearer;
  pause?: StreamNeeds["pause"];
};

/** Of one process or isolate: each asks the broker again and again. */
const MAX_STREAMS = 20;

export function streamOperations(operate: Operate, { reader, verify, ...needs }: EventStreamNeeds): void {
  const { now } = needs;
  const underway = slots({ max: MAX_STREAMS, now });

  operate(streamEvents, {
    about: () => "events",
    run: async (c) => {
      const call = c.get("call");
      const { types, from } = c.req.valid("query");
      const resumed = c.req.valid("header")["last-event-id"];
      const feed = await openFeed(reader, call, { types, from: resumed ?? from });
      if (feed === "gone") throw new Problem("EVENTS_GONE_410", "The broker no longer has what comes after this event: begin anew, without `Last-Event-ID`");
      if (feed === "unsupported") throw new Problem("UPSTREAM_UNAVAILABLE_503", "The message broker's REST interface has no reading");
      const headers = { "content-type": "text/event-stream; charset=utf-8" };
      if (c.req.method === "HEAD") return c.body(null, 200, headers);

      const giveBack = underway.take(now() + LIFETIME_MS);
      if (!giveBack) throw new Problem("TOO_MANY_STREAMS_429", `There are ${MAX_STREAMS} streams already`, { retryAfter: 10 });
      const token = (c.req.header("authorization") ?? "").replace(/^Bearer /i, "");
      // Asked again and again: the token ends, and its user may be locked.
      const isAllowed = () => verify(token).then(() => true, () => false);
      return c.body(eventStream({ pause, ...needs }, { feed, call, isAllowed, onEnd: giveBack }), 200, headers);
    },
  });
}
