import { z } from "@hono/zod-openapi";
import { Name } from "../schema.ts";

export const NewClient = z.object({ clientName: Name.openapi({ example: "order-service" }) });

export const Client = z
  .object({
    clientId: z.string().openapi({ example: "order-service" }),
    clientSecret: z.string().openapi({ description: "Answered here and never again.", example: "dG9wLXNlY3JldC1vZi10aGUtb3JkZXItc2VydmljZQ" }),
  })
  .openapi("IdpClientResponse");
