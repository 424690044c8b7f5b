import { adminPlatform } from "../admin/instance.ts";
import { configInstance } from "../config/instance.ts";
import { testRegistry } from "../discovery/service.ts";
import { gatewayBefore } from "../gateway/platform.ts";

type Example = { value: unknown };

export type Media = { schema?: object; example?: unknown; examples?: Record<string, Example> };

export type Operation = {
  operationId?: string;
  summary?: string;
  tags?: string[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
};

export type Document = {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};

type Service = (path: string) => Response | Promise<Response>;

/** Every service that has a document, by name; and what the gateway shows of those that it leads to. */
export async function describedServices() {
  const [platform, registry] = await Promise.all([adminPlatform(), testRegistry()]);
  const to = (service: "users" | "auth") => ({ fetch: (request: Request) => platform.request(new URL(request.url).pathname, { service }) });
  const admin = { fetch: (request: Request) => platform.call("GET", new URL(request.url).pathname, { token: "" }) };
  const { app: gateway } = gatewayBefore({ users: to("users"), auth: to("auth"), admin });
  const services: Record<string, Service> = {
    "user-service": (path) => platform.request(`http://users.test${path}`, { service: "users" }),
    "auth-service": (path) => platform.request(`http://auth.test${path}`, { service: "auth" }),
    "admin-service": (path) => platform.call("GET", path, { token: "" }),
    "discovery-service": (path) => registry.fetch(new Request(`http://discovery.test${path}`)),
    "config-server": (path) => configInstance().call(`http://config.test${path}`),
    gateway: (path) => gateway.request(`http://gateway.test${path}`),
  };
  return { services, gateway, close: () => Promise.all([platform.close(), registry.close()]) };
}

/** The operations of a document, each with its name: `GET /api/users/me`. */
export function operationsOf({ paths }: Document): { name: string; path: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
  );
}

/** The examples of a body, by name. */
export function examplesOf({ example, examples }: Media): Record<string, unknown> {
  const named = Object.entries(examples ?? {}).map(([name, { value }]) => [name, value]);
  return { ...(example !== undefined && { only: example }), ...Object.fromEntries(named) };
}
