import { z } from "@hono/zod-openapi";
import { catalogue, type EventType } from "../../events/catalogue.ts";
import { oneLine } from "../../http/line.ts";
import { Cursor, limit, Next } from "../schema.ts";

const TYPES = Object.keys(catalogue) as [EventType, ...EventType[]];
const WEBHOOK_ID = "3f0e7c52-6d7b-4c1e-9f0a-8f6f0b7d2c14";
const EVENT_ID = "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80";

export const WebhookId = z.object({ id: z.uuid("Use the id of a webhook").openapi({ example: WEBHOOK_ID }) });

export const DeliveryId = WebhookId.extend({
  event: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,255}$/, "Use the id of an event")
    .openapi({ example: EVENT_ID }),
});

export const Listing = z.object({ limit: limit(100, 50), cursor: Cursor });

export const DeliveryListing = z.object({
  state: z.enum(["pending", "set-aside"], { error: "Use pending or set-aside" }).default("pending").openapi({ example: "set-aside" }),
  limit: limit(200, 50),
  cursor: Cursor,
});

const url = z
  .string()
  .min(1, "Must not be empty")
  .openapi({
    format: "uri",
    description: "An https URL without user name, password and fragment, whose host is no private one",
    example: "https://orders.example.com/webhooks/gatehouse",
  });

const types = z
  .array(z.enum(TYPES, { error: "Use a type of `/asyncapi.json`" }))
  .min(1, "Name at least one, or leave it out for all")
  .max(TYPES.length, `Give at most ${TYPES.length} types`)
  .refine((names) => new Set(names).size === names.length, "Give each type once")
  .optional()
  .openapi({ description: "The event types that are sent; all, when it is left out", example: ["user.registered", "user.locked"] });

const description = oneLine.max(200, "Use at most 200 characters").default("").openapi({ example: "The order service" });

export const NewWebhook = z.object({ url, types, description }).openapi("CreateWebhookDto");

export const exampleNew = { url: "https://orders.example.com/webhooks/gatehouse", types: ["user.registered" as const, "user.locked" as const], description: "The order service" };

export const ChangedWebhook = NewWebhook.extend({
  enabled: z.boolean().openapi({ description: "While false, nothing is sent, and what happens is not kept for it", example: true }),
}).openapi("UpdateWebhookDto");

const secret = z.string().openapi({ description: "What the signatures are made with. Answered here and never again.", example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=", format: "password" });

export const exampleCreated = { id: WEBHOOK_ID, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=", responseCode: "WEBHOOK_CREATED_201" as const, responseMessage: "Webhook created" };

export const Created = z
  .object({
    id: z.string().openapi({ example: WEBHOOK_ID }),
    secret,
    responseCode: z.literal("WEBHOOK_CREATED_201"),
    responseMessage: z.string().openapi({ example: "Webhook created" }),
  })
  .openapi("WebhookCreatedDto");

const instant = z.iso.datetime();

export const exampleRotated = {
  secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDMfKQ9r8GKYo=",
  oldSecretUntil: "2026-11-17T09:30:00.000Z",
  responseCode: "WEBHOOK_SECRET_ROTATED_200" as const,
  responseMessage: "Secret rotated",
};

export const Rotated = z
  .object({
    secret,
    oldSecretUntil: instant.openapi({ description: "Until then there are two signatures: that of the new secret, then that of the old one", example: exampleRotated.oldSecretUntil }),
    responseCode: z.literal("WEBHOOK_SECRET_ROTATED_200"),
    responseMessage: z.string().openapi({ example: "Secret rotated" }),
  })
  .openapi("WebhookSecretDto");

export const exampleWebhook = {
  id: WEBHOOK_ID,
  url: exampleNew.url,
  types: exampleNew.types,
  description: exampleNew.description,
  createdAt: "2026-11-16T09:30:00.000Z",
  enabled: true,
  disabledAt: null,
  disabledBy: null,
  lastSuccessAt: "2026-11-16T11:02:17.000Z",
  lastFailureAt: "2026-11-16T10:58:09.000Z",
  lastFailure: "status" as const,
  lastStatus: 503,
  failures: 0,
  oldSecretUntil: null,
  pending: 0,
  setAside: 0,
  dropped: 0,
};

const failure = z
  .enum(["status", "redirect", "timeout", "unreachable", "private-address", "unreadable-secret"])
  .nullable()
  .openapi({
    description:
      "`status`: answered with another status than 2xx. `redirect`: with a redirection, which is not followed. `timeout`: not within 15 seconds. `unreachable`: not at all. " +
      "`private-address`: the host leads to a private address. `unreadable-secret`: `WEBHOOK_KEY` is not the one the secret was sealed with",
    example: "status",
  });
const status = z.int().nullable().openapi({ description: "Of the last failure, where there was an answer", example: 503 });

export const Webhook = z
  .object({
    id: z.string().openapi({ example: WEBHOOK_ID }),
    url: z.string().openapi({ example: exampleNew.url }),
    types: z.array(z.string()).nullable().openapi({ description: "Null: all", example: exampleNew.types }),
    description: z.string().openapi({ example: exampleNew.description }),
    createdAt: instant.openapi({ example: exampleWebhook.createdAt }),
    enabled: z.boolean().openapi({ example: true }),
    disabledAt: instant.nullable().openapi({ example: null }),
    disabledBy: z.enum(["administrator", "receiver", "failures"]).nullable().openapi({ description: "`receiver`: by answering 410. `failures`: five days without a success", example: null }),
    lastSuccessAt: instant.nullable().openapi({ example: exampleWebhook.lastSuccessAt }),
    lastFailureAt: instant.nullable().openapi({ example: exampleWebhook.lastFailureAt }),
    lastFailure: failure,
    lastStatus: status,
    failures: z.int().openapi({ description: "Attempts in vain since the last success", example: 0 }),
    oldSecretUntil: instant.nullable().openapi({ description: "Until when the secret before the last rotation is signed with too", example: null }),
    pending: z.int().openapi({ description: "Events that wait to be delivered", example: 0 }),
    setAside: z.int().openapi({ description: "Events that were given up after ten attempts", example: 0 }),
    dropped: z.int().openapi({ description: "Events that were not kept, since 5000 waited already", example: 0 }),
  })
  .openapi("Webhook");

export const Webhooks = z.object({ webhooks: z.array(Webhook), next: Next }).openapi("Webhooks");

export const exampleDelivery = {
  event: EVENT_ID,
  type: "user.locked",
  subject: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6",
  createdAt: "2026-11-13T05:54:55.000Z",
  attempts: 10,
  nextAttemptAt: null,
  setAsideAt: "2026-11-16T09:30:00.000Z",
  lastFailure: "status" as const,
  lastStatus: 503,
};

const Delivery = z
  .object({
    event: z.string().openapi({ description: "The event's id", example: EVENT_ID }),
    type: z.string().openapi({ example: exampleDelivery.type }),
    subject: z.string().openapi({ description: "Whom it is about", example: exampleDelivery.subject }),
    createdAt: instant.openapi({ description: "Since when it is on its way", example: exampleDelivery.createdAt }),
    attempts: z.int().openapi({ example: exampleDelivery.attempts }),
    nextAttemptAt: instant.nullable().openapi({ example: null }),
    setAsideAt: instant.nullable().openapi({ example: exampleDelivery.setAsideAt }),
    lastFailure: failure,
    lastStatus: status,
  })
  .openapi("WebhookDelivery");

export const Deliveries = z.object({ deliveries: z.array(Delivery), next: Next }).openapi("WebhookDeliveries");

export const WebhookResponse = z
  .object({
    responseCode: z.enum(["WEBHOOK_UPDATED_200", "WEBHOOK_DELETED_200", "WEBHOOK_DELIVERY_RETRIED_200"]),
    responseMessage: z.string().openapi({ example: "Webhook updated" }),
  })
  .openapi("WebhookResponseDto");
