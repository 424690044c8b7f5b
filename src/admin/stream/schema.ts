import { z } from "@hono/zod-openapi";
import { catalogue, type EventType } from "../../events/catalogue.ts";
import { envelopeOf } from "../../events/envelope.ts";
import { idOf, placeIn } from "./place.ts";

const TYPES = Object.keys(catalogue) as EventType[];

const exampleId = idOf({ "platform.users": [12, 7, 31] });
const { example: data } = catalogue["user.locked"];

export const Filter = z.object({
  types: z
    .string()
    .transform((text) => text.split(",").map((name) => name.trim()))
    .pipe(z.array(z.enum(TYPES, { error: "Use types of `/asyncapi.json`, with commas between them" })).max(TYPES.length, `Give at most ${TYPES.length} types`))
    .optional()
    .openapi({ type: "string", description: "Event types with commas between them; all, when it is left out", example: "user.locked,user.unlocked" }),
  from: z
    .enum(["earliest", "latest"], { error: "Use earliest or latest" })
    .default("latest")
    .openapi({ description: "Where to begin without a `Last-Event-ID`: with what is still kept, or with what happens from now on", example: "latest" }),
});

export const Resumption = z.object({
  "last-event-id": z
    .string()
    .max(8192, "Use at most 8192 characters")
    .transform((id, context) => {
      const place = id === "" ? undefined : placeIn(id);
      if (place || id === "") return place;
      context.addIssue({ code: "custom", message: "Use the id of an event of this stream" });
      return z.NEVER;
    })
    .optional()
    .openapi({ type: "string", description: "The last `id` that was received: the stream goes on after it", example: exampleId }),
});

const exampleEvent = envelopeOf({ id: "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80", type: "user.locked", key: data.userId, data, traceparent: null, createdAt: Date.parse("2026-11-16T09:30:00Z") });

export const exampleStream = `retry: 2000\nid: ${exampleId}\n\nid: ${idOf({ "platform.users": [12, 8, 31] })}\ndata: ${JSON.stringify(exampleEvent)}\n\n`;

export const Stream = z.string().openapi({ description: "Server-sent events; `data` of each is an event in the form of CloudEvents 1.0" });
