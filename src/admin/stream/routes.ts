import { route } from "../../http/route.ts";
import * as schema from "./schema.ts";

export const streamEvents = route({
  access: { permission: "events-read" },
  method: "get",
  path: "/api/admin/events",
  operationId: "streamEvents",
  summary: "Events as they happen, as server-sent events",
  description:
    "Each event at least once, those of one topic about one user in their order, some seconds after they happened: by way of the broker. The stream ends after two minutes, with its token, and when the caller is " +
    "locked; a client comes again with the last `id` it got, as `EventSource` and its kind do by themselves, and misses nothing. A comment every 15 seconds tells that it is alive.",
  tags: ["Events"],
  request: { query: schema.Filter, headers: schema.Resumption },
  responses: { 200: { description: "The stream", content: { "text/event-stream": { schema: schema.Stream, example: schema.exampleStream } } } },
  problems: ["EVENTS_GONE_410", "TOO_MANY_STREAMS_429"],
});
