import { type OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import { STATUSES } from "../instances.ts";
import { APPLICATION_EXAMPLE, INSTANCE_EXAMPLE, JSON_LIST_EXAMPLE, XML_APPLICATION_EXAMPLE, XML_INSTANCE_EXAMPLE, XML_LIST_EXAMPLE } from "./examples.ts";

type Registry = OpenAPIHono["openAPIRegistry"];
type Responses = RouteConfig["responses"];

const Instance = z
  .object({
    instanceId: z.string(),
    hostName: z.string(),
    app: z.string(),
    ipAddr: z.string(),
    status: z.enum(STATUSES),
    overriddenStatus: z.enum(STATUSES),
    port: z.object({ $: z.int(), "@enabled": z.string() }),
    securePort: z.object({ $: z.int(), "@enabled": z.string() }),
    countryId: z.int(),
    dataCenterInfo: z.object({ "@class": z.string(), name: z.string() }),
    leaseInfo: z.object({ renewalIntervalInSecs: z.int(), durationInSecs: z.int() }).loose(),
    metadata: z.record(z.string(), z.string()),
    vipAddress: z.string(),
  })
  .loose()
  .openapi("Instance", { description: "An instance of an application; of what is registered only fields that every client knows are kept", example: INSTANCE_EXAMPLE });
const Registered = z.object({ instance: Instance }).openapi("Registration");
const Application = z.object({ application: z.object({ name: z.string(), instance: z.array(Instance) }) }).openapi("Application");
const Applications = z
  .object({
    applications: z.object({
      versions__delta: z.string(),
      apps__hashcode: z.string().openapi({ description: "How many instances there are of each status", example: "UP_1_" }),
      application: z.array(z.object({ name: z.string(), instance: z.array(Instance) })),
    }),
  })
  .openapi("Applications");
const Failure = z.object({ error: z.string() }).openapi("RegistryFailure");

const TEXT = { type: "string" as const };
const APP = { name: "app", in: "path" as const, required: true, description: "The application, in any case", schema: TEXT, example: "ORDERS" };
const ID = { name: "id", in: "path" as const, required: true, description: "The instance, in its own case", schema: TEXT, example: "orders-1:orders:9000" };
const STATUS_VALUE = { name: "value", in: "query" as const, schema: { type: "string" as const, enum: [...STATUSES] }, example: "OUT_OF_SERVICE" };
const DIRTY = {
  name: "lastDirtyTimestamp",
  in: "query" as const,
  description: "When the instance last changed, as it says; a later change than is registered is answered with 404: register it",
  schema: { type: "integer" as const },
  example: 1795224406440,
};
const COMPACT = {
  name: "X-Eureka-Accept",
  in: "header" as const,
  description: "`compact` gives of each instance what is needed to call it",
  schema: { type: "string" as const, enum: ["compact", "full"] },
  example: "full",
};

const failureContent = { "application/json": { schema: Failure, example: { error: "cannot parse request body" } } };
const UNAUTHENTICATED: Responses = {
  401: { description: "The credential is missing or wrong", headers: { "WWW-Authenticate": { schema: TEXT, example: 'Basic realm="discovery"' } } },
};
const ABSENT: Responses = { 404: { description: "It is not registered; without a body, or clients would not register again" } };
const NOT_ACCEPTABLE: Responses = { 406: { description: "Neither JSON nor XML is accepted" } };
const INVALID: Responses = { 400: { description: "A value is not valid", content: failureContent } };
const DONE: Responses = { 200: { description: "Done" } };

/** JSON where it is named in `Accept`, else XML. */
function document(description: string, { schema, json, xml }: { schema: z.ZodType; json: unknown; xml: string }): Responses {
  return { 200: { description, content: { "application/json": { schema, example: json }, "application/xml": { schema: TEXT, example: xml } } } };
}

const list = (description: string) => document(description, { schema: Applications, json: JSON_LIST_EXAMPLE, xml: XML_LIST_EXAMPLE });
const one = document("The instance", { schema: Registered, json: { instance: INSTANCE_EXAMPLE }, xml: XML_INSTANCE_EXAMPLE });

type Operation = Pick<RouteConfig, "method" | "path" | "operationId" | "summary" | "responses"> &
  Partial<Pick<RouteConfig, "description">> & { tag: string; parameters?: object[]; body?: RouteConfig["request"] };

const OPERATIONS: Operation[] = [
  {
    tag: "Registration",
    method: "post",
    path: "/eureka/apps/{app}",
    operationId: "registerInstance",
    summary: "Register an instance, or register it again",
    description: "The lease begins anew. What an operator set stays, and so does a registration with a later `lastDirtyTimestamp`.",
    parameters: [APP],
    body: {
      body: {
        required: true,
        content: {
          "application/json": { schema: Registered, example: { instance: INSTANCE_EXAMPLE } },
          "application/xml": { schema: TEXT, example: XML_INSTANCE_EXAMPLE },
        },
      },
    },
    responses: {
      204: { description: "Registered" },
      400: {
        description: "The registration cannot be taken",
        content: { "text/plain": { schema: TEXT, example: "Missing hostname" }, ...failureContent, "application/xml": { schema: TEXT, example: "<error><message>cannot parse request body</message></error>" } },
      },
      413: { description: "The body is too large", content: failureContent },
      415: { description: "The body is neither JSON nor XML", content: failureContent },
      507: { description: "The registry holds as many instances as it may", content: failureContent },
    },
  },
  {
    tag: "Registration",
    method: "put",
    path: "/eureka/apps/{app}/{id}",
    operationId: "renewLease",
    summary: "Renew the lease of an instance: its heartbeat",
    parameters: [APP, ID, DIRTY],
    responses: {
      ...DONE,
      ...ABSENT,
      ...INVALID,
      409: { description: "Only to another registry, which knows an older registration", content: { "application/json": { schema: Registered, example: { instance: INSTANCE_EXAMPLE } } } },
    },
  },
  { tag: "Registration", method: "delete", path: "/eureka/apps/{app}/{id}", operationId: "cancelInstance", summary: "Take an instance away", parameters: [APP, ID], responses: { ...DONE, ...ABSENT } },
  {
    tag: "Operation",
    method: "put",
    path: "/eureka/apps/{app}/{id}/status",
    operationId: "overrideStatus",
    summary: "Set a status past the instance's own word",
    parameters: [APP, ID, { ...STATUS_VALUE, required: true }, DIRTY],
    responses: { ...DONE, ...ABSENT, ...INVALID },
  },
  {
    tag: "Operation",
    method: "delete",
    path: "/eureka/apps/{app}/{id}/status",
    operationId: "removeStatusOverride",
    summary: "Give up the status that was set",
    description: "Without `value`, the status is UNKNOWN until the instance registers again, which it does at its next heartbeat.",
    parameters: [APP, ID, { ...STATUS_VALUE, example: "UP" }, DIRTY],
    responses: { ...DONE, ...ABSENT, ...INVALID },
  },
  {
    tag: "Operation",
    method: "put",
    path: "/eureka/apps/{app}/{id}/metadata",
    operationId: "addMetadata",
    summary: "Add to the metadata of an instance",
    description: "Each parameter of the query is a key; of one that comes twice the first counts.",
    parameters: [APP, ID, { name: "zone", in: "query", description: "A key of its own", schema: TEXT, example: "z1" }],
    responses: { ...DONE, ...ABSENT, ...INVALID },
  },
  { tag: "Queries", method: "get", path: "/eureka/apps", operationId: "listApplications", summary: "All instances of all applications", parameters: [COMPACT], responses: list("Everything registered") },
  {
    tag: "Queries",
    method: "get",
    path: "/eureka/apps/delta",
    operationId: "listChanges",
    summary: "The instances that changed within the last three minutes",
    description: "`apps__hashcode` is that of all instances: a client whose own differs after applying the changes fetches everything.",
    parameters: [COMPACT],
    responses: list("What changed; who went has the `actionType` DELETED"),
  },
  {
    tag: "Queries",
    method: "get",
    path: "/eureka/apps/{app}",
    operationId: "getApplication",
    summary: "The instances of an application",
    parameters: [APP, COMPACT],
    responses: { ...document("The application", { schema: Application, json: APPLICATION_EXAMPLE, xml: XML_APPLICATION_EXAMPLE }), ...ABSENT },
  },
  { tag: "Queries", method: "get", path: "/eureka/apps/{app}/{id}", operationId: "getInstanceOfApplication", summary: "An instance of an application", parameters: [APP, ID], responses: { ...one, ...ABSENT } },
  { tag: "Queries", method: "get", path: "/eureka/instances/{id}", operationId: "getInstance", summary: "An instance, whatever its application", parameters: [ID], responses: { ...one, ...ABSENT } },
  ...(["vip", "svip"] as const).map((vip): Operation => ({
    tag: "Queries",
    method: "get",
    path: `/eureka/${vip}s/{${vip}}`,
    operationId: vip === "vip" ? "listByVip" : "listBySecureVip",
    summary: vip === "vip" ? "The instances behind a virtual address" : "The instances behind a secure virtual address",
    parameters: [{ name: vip, in: "path", required: true, description: "The address, in its own case", schema: TEXT, example: "orders" }, COMPACT],
    responses: list("The instances; none behind an unknown address"),
  })),
];

/** Describes the wire below `/eureka`; it is the same below `/eureka/v2`. */
export function describeEureka(registry: Registry): void {
  registry.registerComponent("securitySchemes", "basic", { type: "http", scheme: "basic", description: "The registry's own credential; Eureka's clients send what is in the URL they are given" });
  for (const { tag, body, responses, ...operation } of OPERATIONS) {
    const all = { ...responses, ...UNAUTHENTICATED, ...(operation.method === "get" && NOT_ACCEPTABLE) };
    registry.registerPath({ ...operation, tags: [tag], security: [{ basic: [] }], ...(body && { request: body }), responses: all } as RouteConfig);
  }
}
