import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import { type ProblemCode } from "./problem.ts";

/**
 * Who may call: everyone; any valid token; the user the path names, or `ROLE_ADMIN`; `ROLE_INTERNAL_SERVICE`; or
 * whoever has a role that the service's configuration gives for a permission.
 */
export type Access = "public" | "user" | "owner" | "service" | { permission: string };

type Definition = Omit<RouteConfig, "security" | "middleware"> & {
  access: Access;
  /** What this operation fails with beyond what its access, its input and its service's upstreams bring. */
  problems?: readonly ProblemCode[];
};

export type Route = RouteConfig & { access: Access; getRoutingPath: () => string };

const ProblemSchema = z
  .object({
    type: z.string().openapi({ example: "urn:gatehouse:problem:user-not-found-404" }),
    title: z.string().openapi({ example: "The user does not exist" }),
    status: z.int().openapi({ example: 404 }),
    detail: z.string().openapi({ example: 'There is no user "USR01JD"' }),
    instance: z.string().openapi({ example: "/api/users/USR01JD" }),
    code: z.string().openapi({ example: "USER_NOT_FOUND_404" }),
    traceId: z.string().openapi({ example: "4bf92f3577b34da6a3ce929d0e0e4736" }),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .openapi("Problem");

/** A route as a value: its access stands beside it, and every error it can answer with is documented. */
export function route<const D extends Definition>(definition: D) {
  const { access, problems: _, ...config } = definition;
  const security = access === "public" ? [] : [{ bearer: [] }];
  const responses = { ...problemResponses(codesOf(definition)), ...config.responses } as D["responses"];
  return createRoute({ ...(config as Omit<D, "problems">), access, security, responses });
}

/** A required body of JSON. */
export function body<S>(schema: S) {
  return { ...json(schema), required: true as const };
}

/** An answer of JSON. */
export function answer<S>(description: string, schema: S) {
  return { description, ...json(schema) };
}

function json<S>(schema: S) {
  return { content: { "application/json": { schema } } };
}

function codesOf({ access, problems = [], request }: Definition): ProblemCode[] {
  const codes: (ProblemCode | false | undefined)[] = [
    request && "VALIDATION_FAILED_400",
    request?.body && "MALFORMED_JSON_400",
    request?.body && "PAYLOAD_TOO_LARGE_413",
    request?.body && "UNSUPPORTED_MEDIA_TYPE_415",
    access !== "public" && "UNAUTHENTICATED_401",
    access !== "public" && access !== "user" && "FORBIDDEN_403",
    ...problems,
    "INTERNAL_ERROR_500",
    "UPSTREAM_BAD_ANSWER_502",
    "UPSTREAM_UNAVAILABLE_503",
    "UPSTREAM_TIMEOUT_504",
  ];
  return codes.filter((code) => typeof code === "string");
}

function problemResponses(codes: ProblemCode[]) {
  const byStatus = Object.groupBy(codes, (code) => code.slice(-3));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, same = []]) => [
      status,
      { description: same.join(", "), content: { "application/problem+json": { schema: ProblemSchema } } },
    ]),
  );
}
