import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { stringify } from "yaml";
import { preferred } from "./media-type.ts";
import { Problem } from "./problem.ts";
import type { ShellEnv } from "./shell.ts";

/** An OpenAPI document that people can read at this service's documentation page. */
export type DocumentSource = { name: string; title: string; url: string };

export type DocumentNeeds = {
  /** The service's name, as the registry and the log have it: `user-service`. */
  name: string;
  title: string;
  description: string;
  /** Tag → what its operations have in common, in the order in which they are read. */
  tags?: Readonly<Record<string, string>>;
  /** The service's address as people reach it; else that of each request. */
  origin?: string;
  /** What is offered to choose from, the first unless asked otherwise; only its own document where not given. */
  documentSources?: () => Promise<readonly DocumentSource[]>;
};

export const VERSION = "0.1.0";
export const DOCUMENT_PATH = "/v3/api-docs";

const CONFIG_PATH = `${DOCUMENT_PATH}/swagger-config`;
const JSON_TYPE = "application/json";
const YAML_TYPE = "application/vnd.oai.openapi";
/** In the place of the address, which is the only part of a document that differs between requests. */
const ADDRESS = "{address}";

const BEARER = {
  type: "http",
  scheme: "bearer",
  bearerFormat: "JWT",
  description: "Paste what `POST /api/auth/authenticate` answers; it is good for some minutes.",
} as const;

/** The service's description, where and as springdoc serves it: JSON, YAML, and what its pages read to find them. */
export function serveDocuments(app: OpenAPIHono<ShellEnv>, needs: DocumentNeeds): void {
  const addressOf = (c: Context) => needs.origin ?? new URL(c.req.url).origin;
  const json = once(() => JSON.stringify(documentOf(app, needs)));
  // By way of JSON, which drops the functions that routes have, and in which nothing is written as an alias.
  const yaml = once(() => stringify(JSON.parse(json()), { lineWidth: 0 }));

  const config = async () => {
    const sources = await needs.documentSources?.();
    const several = sources && { urls: sources.map(({ url, name }) => ({ url, name })), "urls.primaryName": sources[0]?.name };
    return JSON.stringify({ configUrl: CONFIG_PATH, ...(several ?? { url: DOCUMENT_PATH }), validatorUrl: "" });
  };
  serve(DOCUMENT_PATH, JSON_TYPE, (c) => json().replace(ADDRESS, () => addressOf(c)));
  serve(`${DOCUMENT_PATH}.yaml`, YAML_TYPE, (c) => yaml().replace(ADDRESS, () => addressOf(c)));
  serve(CONFIG_PATH, JSON_TYPE, config);

  function serve(path: string, type: string, text: (c: Context) => string | Promise<string>): void {
    app.get(path, async (c) => {
      refuseUnlessAccepted(c, type);
      return c.body(await text(c), 200, { "content-type": type });
    });
    app.options(path, (c) => c.body(null, 200, { allow: "GET,HEAD,OPTIONS" }));
  }
}

function documentOf(app: OpenAPIHono<ShellEnv>, { title, description, tags = {} }: DocumentNeeds): object {
  const asked = app.openAPIRegistry.definitions.flatMap((known) => (known.type === "route" ? (known.route.security ?? []) : []));
  const security = [...new Map(asked.map((one) => [JSON.stringify(one), one])).values()];
  if (security.some((one) => "bearer" in one)) app.openAPIRegistry.registerComponent("securitySchemes", "bearer", BEARER);
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title, description, version: VERSION },
    servers: [{ url: ADDRESS }],
    // Each operation says it too; said of the whole, a page asks for the credential once.
    ...(security.length > 0 && { security }),
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  });
}

function refuseUnlessAccepted(c: Context, type: string): void {
  if (preferred(c.req.header("accept"), [type]) === type) return;
  throw new Problem("NOT_ACCEPTABLE_406", `There is ${type} only`, { headers: { accept: type } });
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
