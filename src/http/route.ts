import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import { type ProblemCode, titleOf } from "./problem.ts";
import { problemExamples } from "./problem-examples.ts";

/**
 * Who may call: everyone; any valid token; the user the path names, or `ROLE_ADMIN`; `ROLE_INTERNAL_SERVICE`; or
 * whoever has a role that the service's configuration gives for a permission.
 */
export type Access = "public" | "user" | "owner" | "service" | { permission: string };

type Definition = Omit<RouteConfig, "security" | "middleware"> & {
  access: Access;
  operationId: string;
  summary: string;
  /** What this operation fails with beyond what its access, its input and its service's upstreams bring. */
  problems?: readonly ProblemCode[];
  /** Whether it answers whatever becomes of the systems behind the service. */
  isSelfSufficient?: boolean;
};

export type Route = RouteConfig & { access: Access; getRoutingPath: () => string };

const ProblemSchema = z
  .object({
    type: z.string().openapi({ description: "Names the kind of problem; `code` says the same", example: "urn:gatehouse:problem:user-not-found-404" }),
    title: z.string().openapi({ description: "The kind of problem in words", example: "The user does not exist" }),
    status: z.int().openapi({ description: "The HTTP status", example: 404 }),
    detail: z.string().openapi({ description: "What is wrong with this request", example: 'There is no user "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6"' }),
    instance: z.string().openapi({ description: "The path that was asked for", example: "/api/users/USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6" }),
    code: z.string().openapi({ description: "Stable: for programs to tell problems apart", example: "USER_NOT_FOUND_404" }),
    traceId: z.string().openapi({ description: "Finds this request in the log", example: "4bf92f3577b34da6a3ce929d0e0e4736" }),
    errors: z
      .array(z.object({ path: z.string().openapi({ example: "emailId" }), message: z.string().openapi({ example: "Use a valid e-mail address" }) }))
      .optional()
      .openapi({ description: "Every field that is refused, and why" }),
  })
  .openapi("Problem", { description: "RFC 9457: what went wrong" });

type Header = { description: string; schema: { type: "string" | "integer" }; example: string | number };

const challenge: Record<string, Header> = {
  "WWW-Authenticate": { description: "How to authenticate", schema: { type: "string" }, example: "Bearer" },
};
const patience: Record<string, Header> = {
  "Retry-After": { description: "Seconds until another try makes sense", schema: { type: "integer" }, example: 5 },
};

const HEADERS: Partial<Record<ProblemCode, Record<string, Header>>> = {
  UNAUTHENTICATED_401: challenge,
  ACCOUNT_LOCKED_403: patience,
  REGISTRATION_IN_PROGRESS_409: patience,
  VAULT_SECRET_CONFLICT_409: patience,
  TOO_MANY_REQUESTS_429: patience,
  TOO_MANY_STREAMS_429: patience,
  UPSTREAM_UNAVAILABLE_503: patience,
  UPSTREAM_TIMEOUT_504: patience,
};

/** A route as a value: its access stands beside it, and every error it can answer with is documented. */
export function route<const D extends Definition>(definition: D) {
  const { access, problems: _, isSelfSufficient: __, ...config } = definition;
  const security = access === "public" ? [] : [{ bearer: [] }];
  const responses = { ...problemResponses(definition), ...config.responses } as D["responses"];
  return createRoute({ ...(config as Omit<D, "problems" | "isSelfSufficient">), access, security, responses });
}

/** What a reader is shown: one example, or several by name. */
type Shown<S extends z.ZodType> = { example: z.input<S> } | { examples: Record<string, { summary: string; value: z.input<S> }> };

/** A required body of JSON. */
export function body<S extends z.ZodType>(schema: S, shown: Shown<S>) {
  return { ...json(schema, shown), required: true as const };
}

/** An answer of JSON. */
export function answer<S extends z.ZodType>(description: string, schema: S, shown: Shown<S>) {
  return { description, ...json(schema, shown) };
}

function json<S extends z.ZodType>(schema: S, shown: Shown<S>) {
  return { content: { "application/json": { schema, ...shown } } };
}

const UPSTREAM: readonly ProblemCode[] = ["UPSTREAM_BAD_ANSWER_502", "UPSTREAM_UNAVAILABLE_503", "UPSTREAM_TIMEOUT_504"];

function codesOf({ access, problems = [], request, isSelfSufficient = false }: Definition): ProblemCode[] {
  const codes: (ProblemCode | false | undefined)[] = [
    request && "VALIDATION_FAILED_400",
    request?.body && "MALFORMED_JSON_400",
    request?.body && "PAYLOAD_TOO_LARGE_413",
    request?.body && "UNSUPPORTED_MEDIA_TYPE_415",
    access !== "public" && "UNAUTHENTICATED_401",
    access !== "public" && access !== "user" && "FORBIDDEN_403",
    ...problems,
    "INTERNAL_ERROR_500",
    ...(isSelfSufficient ? [] : UPSTREAM),
  ];
  return codes.filter((code) => typeof code === "string");
}

function problemResponses(definition: Definition) {
  const byStatus = Object.groupBy(codesOf(definition), (code) => code.slice(-3));
  return Object.fromEntries(Object.entries(byStatus).map(([status, codes = []]) => [status, problemResponse(codes, definition)]));
}

function problemResponse(codes: ProblemCode[], definition: Definition) {
  const shown = {
    schema: ProblemSchema,
    // Read when a document is made: most processes and isolates never make one.
    get examples() {
      return problemExamples(codes, definition);
    },
  };
  const headers = codes.flatMap((code) => Object.entries(HEADERS[code] ?? {}));
  return {
    description: codes.map((code) => `${titleOf(code)}: \`${code}\``).join("; "),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    content: { "application/problem+json": shown },
  };
}
