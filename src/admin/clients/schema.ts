import { z } from "@hono/zod-openapi";
import { Name } from "../schema.ts";

export const NewClient = z.object({ clientName: Name.openapi({ example: "order-service" }) });

export const exampleClient = { clientId: "order-service", clientSecret: "dG9wLXNlY3JldC1vZi10aGUtb3JkZXItc2VydmljZQ" };

export const Client = z
  .object({
    clientId: z.string().openapi({ example: exampleClient.clientId }),
    clientSecret: z.string().openapi({ description: "Answered here and never again.", example: exampleClient.clientSecret }),
  })
  .openapi("IdpClientResponse");
