import { z } from "@hono/zod-openapi";
import { answer, route } from "../http/route.ts";

export const TAGS = {
  Health: "How the platform is: the gateway asks every service.",
  Documents: "The API descriptions of the services, as they are reached through the gateway.",
};

const Status = z.enum(["UP", "DOWN", "OUT_OF_SERVICE", "UNKNOWN"]);

const Leaf = { status: Status, details: z.record(z.string(), z.unknown()).optional() };

const Component = z
  .object({ ...Leaf, components: z.record(z.string(), z.object(Leaf)).optional() })
  .openapi("HealthComponent", { description: "A service has components of its own; one that does not answer has details instead." });

const Health = z
  .object({
    status: Status.openapi({ description: "The worst of the components" }),
    components: z.record(z.string(), Component).optional(),
    groups: z.array(z.string()).optional(),
  })
  .openapi("Health");

const up = { status: "UP" as const };
const down = { status: "DOWN" as const, details: { error: "Not available" } };
const groups = ["liveness", "readiness"];
const userService = { status: "UP" as const, components: { db: up, identityProvider: up } };

const Service = z.object({ service: z.string().openapi({ description: "As `/v3/api-docs/swagger-config` lists it", example: "user-service" }) });
const Named = z.object({ component: z.string().openapi({ description: "A service, or `liveness` or `readiness`", example: "user-service" }) });
const Document = z.looseObject({ openapi: z.string(), info: z.looseObject({ title: z.string(), version: z.string() }), paths: z.record(z.string(), z.unknown()) });

const ACTUATOR = "application/vnd.spring-boot.actuator.v3+json";

function health<S extends z.ZodType>(description: string, schema: S, example: z.input<S>) {
  return { description, content: { [ACTUATOR]: { schema, example }, "application/json": { schema, example } } };
}

const getHealth = route({
  access: "public",
  isSelfSufficient: true,
  method: "get",
  path: "/actuator/health",
  operationId: "getHealth",
  summary: "The health of all services",
  tags: ["Health"],
  responses: {
    200: health("Everything is up", Health, { ...up, components: { "auth-service": up, "user-service": userService }, groups }),
    503: health("Something is down", Health, { status: "DOWN", components: { "auth-service": down, "user-service": userService }, groups }),
  },
  problems: ["NOT_ACCEPTABLE_406"],
});

const getHealthOf = route({
  access: "public",
  isSelfSufficient: true,
  method: "get",
  path: "/actuator/health/{component}",
  operationId: "getHealthOfComponent",
  summary: "The health of one service",
  description: "`liveness` and `readiness` are the gateway's own and depend on no service.",
  tags: ["Health"],
  request: { params: Named },
  responses: {
    200: health("It is up", Component, userService),
    404: { description: "There is no such component" },
    503: health("It is down", Component, down),
  },
  problems: ["NOT_ACCEPTABLE_406"],
});

const getDocument = route({
  access: "public",
  method: "get",
  path: "/v3/api-docs/{service}",
  operationId: "getDocument",
  summary: "The API description of one service",
  description: "OpenAPI 3.1, of what is reached through the gateway.",
  tags: ["Documents"],
  request: { params: Service },
  responses: { 200: answer("The document", Document, { example: { openapi: "3.1.0", info: { title: "User service", version: "0.1.0" }, paths: {} } }) },
  problems: ["NOT_FOUND_404"],
});

/** What the gateway answers itself; all else is in the documents of the services. */
export const described = [getHealth, getHealthOf, getDocument];
