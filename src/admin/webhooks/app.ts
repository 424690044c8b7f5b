import { Problem } from "../../http/problem.ts";
import type { Delivery } from "../../webhooks/delivery-store.ts";
import { type Asked, type Endpoint, MAX_ENDPOINTS } from "../../webhooks/endpoint-store.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import type { Operate } from "../operate.ts";
import { pageOf } from "../schema.ts";
import * as routes from "./routes.ts";

export function webhookOperations(operate: Operate, { webhooks }: { webhooks: Webhooks }): void {
  operate(routes.createWebhook, {
    // The URL itself may hold a key of the receiver's.
    about: () => "webhooks",
    run: async (c) => {
      const made = await webhooks.create(askedIn(c.req.valid("json"), webhooks));
      if (!made) throw new Problem("WEBHOOK_LIMIT_REACHED_409", `There are ${MAX_ENDPOINTS} webhooks already`);
      c.header("location", `/api/admin/webhooks/${made.id}`);
      return c.json({ ...made, responseCode: "WEBHOOK_CREATED_201" as const, responseMessage: "Webhook created" }, 201);
    },
  });

  operate(routes.listWebhooks, {
    about: () => "webhooks",
    run: async (c) => {
      const { cursor: after = 0, limit } = c.req.valid("query");
      const { page, next } = pageOf(await webhooks.list({ after, limit: limit + 1 }), { limit, placeOf: ({ position }) => position });
      return c.json({ webhooks: page.map(webhookOf), next }, 200);
    },
  });

  operate(routes.getWebhook, {
    about: (c) => `webhook/${c.req.valid("param").id}`,
    run: async (c) => c.json(webhookOf(await found(webhooks, c.req.valid("param").id)), 200),
  });

  operate(routes.updateWebhook, {
    about: (c) => `webhook/${c.req.valid("param").id}`,
    run: async (c) => {
      const { id } = c.req.valid("param");
      const { enabled: isEnabled, ...asked } = c.req.valid("json");
      if (!(await webhooks.change(id, { ...askedIn(asked, webhooks), isEnabled }))) throw noSuchWebhook(id);
      return c.json({ responseCode: "WEBHOOK_UPDATED_200" as const, responseMessage: "Webhook updated" }, 200);
    },
  });

  operate(routes.deleteWebhook, {
    about: (c) => `webhook/${c.req.valid("param").id}`,
    run: async (c) => {
      const { id } = c.req.valid("param");
      if (!(await webhooks.remove(id))) throw noSuchWebhook(id);
      return c.json({ responseCode: "WEBHOOK_DELETED_200" as const, responseMessage: "Webhook deleted" }, 200);
    },
  });

  operate(routes.rotateWebhookSecret, {
    about: (c) => `webhook/${c.req.valid("param").id}`,
    run: async (c) => {
      const { id } = c.req.valid("param");
      const rotated = await webhooks.rotate(id);
      if (!rotated) throw noSuchWebhook(id);
      const { secret, oldUntil } = rotated;
      return c.json({ secret, oldSecretUntil: new Date(oldUntil).toISOString(), responseCode: "WEBHOOK_SECRET_ROTATED_200" as const, responseMessage: "Secret rotated" }, 200);
    },
  });

  operate(routes.listWebhookDeliveries, {
    about: (c) => `webhook/${c.req.valid("param").id}`,
    run: async (c) => {
      const { id } = c.req.valid("param");
      const { state, cursor: after = 0, limit } = c.req.valid("query");
      await found(webhooks, id);
      const rows = await webhooks.deliveries(id, { after, limit: limit + 1, isSetAside: state === "set-aside" });
      const { page, next } = pageOf(rows, { limit, placeOf: ({ position }) => position });
      return c.json({ deliveries: page.map(deliveryOf), next }, 200);
    },
  });

  operate(routes.retryWebhookDelivery, {
    about: (c) => `webhook/${c.req.valid("param").id}`,
    run: async (c) => {
      const { id, event } = c.req.valid("param");
      if (!(await webhooks.retry(id, event))) {
        await found(webhooks, id);
        throw new Problem("WEBHOOK_DELIVERY_NOT_FOUND_404", `No event "${event}" is set aside for this webhook`);
      }
      return c.json({ responseCode: "WEBHOOK_DELIVERY_RETRIED_200" as const, responseMessage: "Event will be sent again" }, 200);
    },
  });
}

type Sent = { url: string; types?: readonly string[] | undefined; description: string };

/** What a body asks for, its URL in the parser's own spelling: what was checked is what is sent to. */
function askedIn({ url, types, description }: Sent, { urlFault }: Webhooks): Asked {
  const fault = urlFault(url);
  if (fault !== undefined) throw new Problem("VALIDATION_FAILED_400", "Check url", { errors: [{ path: "url", message: `Cannot be used: ${fault}` }] });
  return { url: new URL(url).href, types: types ?? null, description };
}

async function found(webhooks: Webhooks, id: string): Promise<Endpoint> {
  const endpoint = await webhooks.get(id);
  if (!endpoint) throw noSuchWebhook(id);
  return endpoint;
}

function webhookOf(endpoint: Endpoint) {
  const { position: _, oldUntil, types, ...shown } = endpoint;
  return { ...shown, types: types && [...types], enabled: endpoint.disabledAt === null, oldSecretUntil: oldUntil };
}

function deliveryOf(delivery: Delivery) {
  const { position: _, due, ...shown } = delivery;
  return { ...shown, nextAttemptAt: due };
}

function noSuchWebhook(id: string): Problem {
  return new Problem("WEBHOOK_NOT_FOUND_404", `There is no webhook "${id}"`);
}
