import { answer, body, route } from "../../http/route.ts";
import * as schema from "./schema.ts";

const access = { permission: "webhook-ops" };
const tags = ["Webhooks"];
const one = "/api/admin/webhooks/{id}";
const problems = ["WEBHOOK_NOT_FOUND_404"] as const;

export const createWebhook = route({
  access,
  method: "post",
  path: "/api/admin/webhooks",
  operationId: "createWebhook",
  summary: "Have events sent to a URL",
  description:
    "Each event that happens from now on is sent as a POST whose body is the event (CloudEvents 1.0, JSON), signed as Standard Webhooks 1.0 says: `webhook-id`, `webhook-timestamp`, " +
    "`webhook-signature`. It has arrived when the answer is 2xx within 15 seconds; redirections are not followed, and nothing of the answer's body is read. Else it is sent again after 5 seconds, " +
    "5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours, each a little longer, and then set aside; 429, 502, 503 and 504 give the receiver a rest, for as long as its `Retry-After` says. 410 disables the webhook, " +
    "and so do five days without a success. An event may come twice, with the same id, and events come in no order: `time` says when each happened.",
  tags,
  request: { body: body(schema.NewWebhook, { example: schema.exampleNew }) },
  responses: {
    201: {
      ...answer("Created", schema.Created, { example: schema.exampleCreated }),
      headers: { Location: { description: "The webhook", schema: { type: "string" }, example: `/api/admin/webhooks/${schema.exampleCreated.id}` } },
    },
  },
  problems: ["WEBHOOK_LIMIT_REACHED_409"],
});

export const listWebhooks = route({
  access,
  method: "get",
  path: "/api/admin/webhooks",
  operationId: "listWebhooks",
  summary: "The webhooks, the oldest first, and how each is doing",
  tags,
  request: { query: schema.Listing },
  responses: { 200: answer("The webhooks", schema.Webhooks, { example: { webhooks: [schema.exampleWebhook], next: null } }) },
});

export const getWebhook = route({
  access,
  method: "get",
  path: one,
  operationId: "getWebhook",
  summary: "One webhook, and how it is doing",
  tags,
  request: { params: schema.WebhookId },
  responses: { 200: answer("The webhook", schema.Webhook, { example: schema.exampleWebhook }) },
  problems,
});

export const updateWebhook = route({
  access,
  method: "put",
  path: one,
  operationId: "updateWebhook",
  summary: "Change a webhook",
  description: "As a whole: what is left out is as in a new one. What waits for a webhook that is enabled is sent anew, at once; the secret stays.",
  tags,
  request: { params: schema.WebhookId, body: body(schema.ChangedWebhook, { example: { ...schema.exampleNew, enabled: true } }) },
  responses: { 200: answer("Changed", schema.WebhookResponse, { example: { responseCode: "WEBHOOK_UPDATED_200", responseMessage: "Webhook updated" } }) },
  problems,
});

export const deleteWebhook = route({
  access,
  method: "delete",
  path: one,
  operationId: "deleteWebhook",
  summary: "Remove a webhook",
  description: "With what waits for it. What is being sent at this moment may still arrive.",
  tags,
  request: { params: schema.WebhookId },
  responses: { 200: answer("Removed", schema.WebhookResponse, { example: { responseCode: "WEBHOOK_DELETED_200", responseMessage: "Webhook deleted" } }) },
  problems,
});

export const rotateWebhookSecret = route({
  access,
  method: "post",
  path: `${one}/secret`,
  operationId: "rotateWebhookSecret",
  summary: "Replace a webhook's secret",
  description: "For 24 hours there are two signatures, with the new secret and with the one before it, so that the receiver has time to change. A second rotation ends that for the first secret.",
  tags,
  request: { params: schema.WebhookId },
  responses: { 200: answer("Replaced", schema.Rotated, { example: schema.exampleRotated }) },
  problems,
});

export const listWebhookDeliveries = route({
  access,
  method: "get",
  path: `${one}/deliveries`,
  operationId: "listWebhookDeliveries",
  summary: "Events on their way to a webhook, or set aside, the oldest first",
  description: "What has arrived is not kept.",
  tags,
  request: { params: schema.WebhookId, query: schema.DeliveryListing },
  responses: { 200: answer("The deliveries", schema.Deliveries, { example: { deliveries: [schema.exampleDelivery], next: null } }) },
  problems,
});

export const retryWebhookDelivery = route({
  access,
  method: "post",
  path: `${one}/deliveries/{event}/retry`,
  operationId: "retryWebhookDelivery",
  summary: "Send an event again that was set aside",
  description: "As if for the first time, under its old id.",
  tags,
  request: { params: schema.DeliveryId },
  responses: { 200: answer("It will be sent", schema.WebhookResponse, { example: { responseCode: "WEBHOOK_DELIVERY_RETRIED_200", responseMessage: "Event will be sent again" } }) },
  problems: ["WEBHOOK_NOT_FOUND_404", "WEBHOOK_DELIVERY_NOT_FOUND_404"],
});
