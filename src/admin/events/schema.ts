import { z } from "@hono/zod-openapi";
import { Cursor, limit, Next } from "../schema.ts";

export const Listing = z.object({ limit: limit(200, 50), cursor: Cursor });

export const SetAsideId = z.object({ id: z.uuid("Use the id of an event").openapi({ example: "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80" }) });

export const exampleEvent = {
  id: "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80",
  topic: "platform.users",
  type: "user.updated",
  key: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6",
  createdAt: "2026-11-16T09:30:00.000Z",
  setAsideAt: "2026-11-16T09:31:02.000Z",
  attempts: 5,
  reason: "40301",
};

const SetAsideEvent = z
  .object({
    id: z.string().openapi({ example: exampleEvent.id }),
    topic: z.string().openapi({ example: exampleEvent.topic }),
    type: z.string().openapi({ example: exampleEvent.type }),
    key: z.string().openapi({ description: "The record's key: whom it is about", example: exampleEvent.key }),
    createdAt: z.iso.datetime().openapi({ example: exampleEvent.createdAt }),
    setAsideAt: z.iso.datetime().openapi({ example: exampleEvent.setAsideAt }),
    attempts: z.int().openapi({ example: exampleEvent.attempts }),
    reason: z.string().nullable().openapi({ description: "The code that the broker refused it with, or `too-large`", example: exampleEvent.reason }),
  })
  .openapi("SetAsideEvent");

export const SetAsideEvents = z.object({ events: z.array(SetAsideEvent), next: Next }).openapi("SetAsideEvents");

export const EventResponse = z
  .object({
    responseCode: z.enum(["EVENT_REPLAYED_200", "EVENT_DISCARDED_200"]),
    responseMessage: z.string().openapi({ example: "Event will be sent again" }),
  })
  .openapi("EventResponseDto");
