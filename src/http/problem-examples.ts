import type { RouteConfig } from "@hono/zod-openapi";
import * as z from "zod";
import { Problem, problemBody, type ProblemCode, titleOf } from "./problem.ts";
import type { Access } from "./route.ts";
import { invalidRequest } from "./validation.ts";

/** What a caller reads beside each code; that of a refused field is made from the route's own schema. */
const DETAILS: Record<Exclude<ProblemCode, "VALIDATION_FAILED_400" | "FORBIDDEN_403">, string> = {
  MALFORMED_JSON_400: "The body is not JSON",
  TOPIC_CREATION_FAILED_400: "Replication factor: 3 larger than available brokers: 1.",
  CONFIG_NOT_CONVERTIBLE_400: 'The placeholder "database.url" leads back to itself',
  SECURITY_INVALID_CREDENTIALS_401: "The user name or the password is wrong",
  UNAUTHENTICATED_401: "Send a bearer token",
  REFRESH_TOKEN_INVALID_401: "The refresh token is used up, expired, or none of ours",
  ACCOUNT_LOCKED_403: "The account is locked for a while after failed sign-ins",
  NOT_FOUND_404: "There is nothing at this path",
  USER_NOT_FOUND_404: 'There is no user "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6"',
  SECURITY_DETAILS_NOT_FOUND_404: "The user has no security questions yet",
  IDP_ROLE_NOT_FOUND_404: 'There is no role "AUDITOR"',
  VAULT_APPROLE_NOT_FOUND_404: 'There is no AppRole "order-service"',
  VAULT_SECRET_NOT_FOUND_404: 'There are no secrets of "order-service"',
  VAULT_POLICY_NOT_FOUND_404: 'There is no policy file for "order-service"',
  TOPIC_NOT_FOUND_404: 'There is no topic "orders"',
  EVENT_NOT_FOUND_404: 'No event "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80" is set aside',
  WEBHOOK_NOT_FOUND_404: 'There is no webhook "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80"',
  WEBHOOK_DELIVERY_NOT_FOUND_404: 'No event "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80" is set aside for this webhook',
  CONFIG_LABEL_NOT_FOUND_404: 'There is no branch, tag or commit "main"',
  METHOD_NOT_ALLOWED_405: "Use GET, HEAD",
  NOT_ACCEPTABLE_406: "There is application/json only",
  USER_ALREADY_EXISTS_409: "The e-mail or the contact number is already registered",
  REGISTRATION_IN_PROGRESS_409: "The same registration is still being worked on",
  CONTACT_LIMIT_REACHED_409: "The user has ten contact numbers already",
  IDP_CLIENT_ALREADY_EXISTS_409: 'There is a client "order-service" already',
  IDP_ROLE_ALREADY_EXISTS_409: 'There is a role "AUDITOR" already',
  VAULT_APPROLE_ALREADY_EXISTS_409: 'There is an AppRole "order-service" already',
  VAULT_SECRET_CONFLICT_409: 'The secrets of "order-service" are being changed by others',
  WEBHOOK_LIMIT_REACHED_409: "There are 100 webhooks already",
  EVENTS_GONE_410: "The broker no longer has what comes after this event: begin anew, without `Last-Event-ID`",
  PAYLOAD_TOO_LARGE_413: "Send at most 65536 bytes",
  UNSUPPORTED_MEDIA_TYPE_415: "Send the body as application/json",
  IDEMPOTENCY_KEY_REUSED_422: "This idempotency key came with another registration before",
  CONFIG_FILE_INVALID_422: 'Cannot read "user-service.yml": line 3, column 5: bad indent',
  CONFIG_TOO_LARGE_422: "What is configured is more than 1048576 characters",
  TOO_MANY_REQUESTS_429: "Send at most 600 requests a minute",
  TOO_MANY_STREAMS_429: "There are 20 streams already",
  INTERNAL_ERROR_500: "The service failed; the trace id names the entry in its log",
  IDP_CLIENT_CREATION_FAILED_502: "The identity provider did not create the client",
  UPSTREAM_BAD_ANSWER_502: "The identity provider gave an unusable answer",
  UPSTREAM_UNAVAILABLE_503: "The identity provider is not available",
  UPSTREAM_TIMEOUT_504: "The identity provider did not answer in time",
};

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

const PARAMETERS: Record<string, string> = {
  userId: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6",
  attemptId: "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80",
  id: "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80",
  event: "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80",
  role: "order-service",
  service: "user-service",
  component: "user-service",
  application: "user-service",
  profiles: "dev",
  label: "main",
  path: "nginx.conf",
};

type Described = Pick<RouteConfig, "path" | "request"> & { access: Access };

/** An example for each of `codes`, as the operation would answer with it. */
export function problemExamples(codes: readonly ProblemCode[], route: Described) {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => PARAMETERS[name] ?? whole);
  const bodyOf = (code: ProblemCode) => problemBody(exampleProblem(code, route), { path, traceId: TRACE_ID });
  return Object.fromEntries(codes.map((code) => [code, { summary: titleOf(code), value: bodyOf(code) }]));
}

function exampleProblem(code: ProblemCode, { access, request }: Described): Problem {
  if (code === "FORBIDDEN_403") return new Problem(code, forbidden(access));
  if (code !== "VALIDATION_FAILED_400") return new Problem(code, DETAILS[code]);
  const schema = bodySchema(request) ?? request?.query ?? request?.params;
  const refused = schema instanceof z.ZodObject ? schema.safeParse(emptied(schema)) : undefined;
  return refused?.error ? invalidRequest(refused.error) : new Problem(code, "The request is not valid");
}

function bodySchema(request: Described["request"]): unknown {
  const media = request?.body?.content["application/json"];
  return media && "schema" in media ? media.schema : undefined;
}

function forbidden(access: Access): string {
  if (access === "owner") return "Only the user and an administrator may do this";
  return `This needs ${access === "service" ? "ROLE_INTERNAL_SERVICE" : "ROLE_ADMIN"}`;
}

/** What no field takes, so that the example shows each refused with the words that a caller would get. */
function emptied({ shape }: z.ZodObject): Record<string, unknown> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, ""]));
}
