import type { RouteConfig } from "@hono/zod-openapi";
import type { Context } from "hono";
import { basicVerifier, type BasicCredential } from "../http/basic.ts";
import { preferred } from "../http/media-type.ts";
import { Problem } from "../http/problem.ts";
import { shell, type ShellEnv, type ShellNeeds } from "../http/shell.ts";
import type { SecretsStore } from "../secrets/vault.ts";
import { type Reader, readerOf } from "./access.ts";
import { combined, resolverFor } from "./combined.ts";
import { type Environment, environmentIn, snapshotFor, withSources } from "./environment.ts";
import type { ConfigFiles, Snapshot } from "./files.ts";
import { fileOf } from "./formats.ts";
import { type Asked, readAsked, readFileName } from "./names.ts";
import { environmentBody, VERSION_1, VERSION_2 } from "./representation.ts";
import * as routes from "./routes.ts";
import { secretSources } from "./secret-sources.ts";
import { selectedFile } from "./selection.ts";

type Shared = "now" | "log" | "verify" | "health" | "timeout" | "documentationScript" | "metrics" | "metricsAccess" | "sharesPending";

export type ConfigNeeds = Pick<ShellNeeds, Shared> & {
  files: ConfigFiles;
  secrets: Pick<SecretsStore, "readSecrets">;
  credential: BasicCredential;
  /** Only this machine can reach the process. */
  isLoopback: boolean;
  /** The request target as it came over the wire, where the runtime keeps it; else its URL, already parsed, has to do. */
  target?: (c: Context) => string | undefined;
};

const DESCRIPTION =
  "Tells applications their configuration, on Spring Cloud Config's wire: a Spring service reads it unchanged with " +
  "`spring.config.import=configserver:http://config:{password}@localhost:8888`. Values encrypted with `{cipher}` are not decrypted, and delivered as " +
  "`invalid.{name}`: secrets belong into the secrets store.";
const TAGS = {
  Environments: "Property sources in the order in which they win, as Spring's clients read them.",
  Files: "All of it as one file, and plain files.",
};

const FILE = "/:file{[^/]+\\.(?:yml|yaml|properties|json)}";
/** What other paths begin with, here or at the original: no application is called so. */
const RESERVED = new Set(["actuator", "decrypt", "encrypt", "key", "monitor", "swagger-ui", "v3"]);
/** An encoded separator, a backslash, a fragment or a dot segment, which a URL parser somewhere on the way folds away. */
const AMBIGUOUS = /%(?:2f|5c|00)|[\\#]|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
const MAX_ANSWER_BYTES = 1024 * 1024;

export function config(needs: ConfigNeeds) {
  const guard = async (c: Context<ShellEnv>, next: () => Promise<void>) => {
    refuseAmbiguous(needs.target?.(c) ?? new URL(c.req.raw.url).pathname);
    await next();
  };
  const { app } = shell({ ...needs, name: "config-server", title: "Configuration server", description: DESCRIPTION, tags: TAGS, guard });
  app.openAPIRegistry.registerComponent("securitySchemes", "basic", { type: "http", scheme: "basic", description: "`CONFIG_USERNAME` and `CONFIG_PASSWORD`." });
  const configToken = { type: "apiKey", in: "header", name: "X-Config-Token", description: "A service token, as `spring.cloud.config.token` sends it." } as const;
  app.openAPIRegistry.registerComponent("securitySchemes", "configToken", configToken);
  const access = { ...needs, isBasic: basicVerifier(needs.credential) };

  function mount(path: string, documented: RouteConfig[], answer: (c: Context<ShellEnv>, reader: Reader) => Promise<Response>): void {
    for (const route of documented) app.openAPIRegistry.registerPath(route);
    app.options(path, (c) => c.body(null, 200, { allow: "GET,HEAD,OPTIONS", "accept-patch": "" }));
    app.get(path, async (c) => {
      c.header("cache-control", "no-store");
      return answer(c as Context<ShellEnv>, await readerOf(c.req.raw, access));
    });
  }

  async function told(c: Context<ShellEnv>, { asked, reader: { owner }, snapshot }: { asked: Asked; reader: Reader; snapshot: Snapshot }): Promise<Environment> {
    const environment = await environmentIn(snapshot, asked);
    return owner === undefined ? environment : withSources(environment, await secretSources(needs.secrets, c.get("call"), { owner, asked }));
  }

  async function environment(c: Context<ShellEnv>, reader: Reader): Promise<Response> {
    const type = preferred(c.req.header("accept"), [VERSION_1, VERSION_2]);
    if (!type) throw new Problem("NOT_ACCEPTABLE_406", `Accept ${VERSION_2} or ${VERSION_1}`, { headers: { accept: `${VERSION_2}, ${VERSION_1}` } });
    const asked = askedFor(c, c.req.param("label"));
    const snapshot = await snapshotFor(needs.files, asked);
    return sized(c, environmentBody(await told(c, { asked, reader, snapshot }), { asked, type }), type);
  }

  async function file(c: Context<ShellEnv>, reader: Reader): Promise<Response> {
    const named = readFileName(c.req.param("file") ?? "");
    if (!named) throw nothing();
    const { format } = named;
    const resolves = resolvesPlaceholders(c);
    const type = format === "json" ? "application/json" : "text/plain;charset=UTF-8";
    // The original answers so; it asks nothing of the files.
    if (named.application === "" || named.profiles === "") return sized(c, fileOf({ version: undefined, sources: [] }, { format, resolves }), type);
    const asked = readAsked({ ...named, label: c.req.param("label") });
    const snapshot = await snapshotFor(needs.files, asked);
    return sized(c, fileOf(await told(c, { asked, reader, snapshot }), { format, resolves }), type);
  }

  async function plainFile(c: Context<ShellEnv>, { label, path, reader }: { label: string | undefined; path: string; reader: Reader }): Promise<Response> {
    const resolves = resolvesPlaceholders(c);
    const asked = askedFor(c, label);
    const snapshot = await snapshotFor(needs.files, asked);
    const name = selectedFile(asked, { path, snapshot });
    if (name === undefined) throw new Problem("NOT_FOUND_404", "There is no such file");
    const { bytes } = await snapshot.read(name);
    const type = preferred(c.req.header("accept"), ["text/plain", "application/octet-stream"]);
    if (type === "application/octet-stream") return sized(c, bytes, type);
    const text = new TextDecoder().decode(bytes);
    const isDone = !resolves || !text.includes("${");
    return sized(c, isDone ? text : resolverFor(combined(await told(c, { asked, reader, snapshot })))(text), "text/plain;charset=UTF-8");
  }

  mount(FILE, routes.files.filter(({ path }) => !path.startsWith("/{label}/")), file);
  mount(`/:label${FILE}`, routes.files.filter(({ path }) => path.startsWith("/{label}/")), file);
  mount("/:application/:profiles", [routes.environment], environment);
  mount("/:application/:profiles/:label", [routes.environmentAtLabel], (c, reader) => {
    const isPath = c.req.query("useDefaultLabel") !== undefined;
    return isPath ? plainFile(c, { label: undefined, path: c.req.param("label") ?? "", reader }) : environment(c, reader);
  });
  mount("/:application/:profiles/:label/:path{.+}", [routes.plainFile], (c, reader) => {
    const { label = "", path = "" } = c.req.param() as Record<string, string>;
    const isPath = c.req.query("useDefaultLabel") !== undefined;
    return plainFile(c, isPath ? { label: undefined, path: `${label}/${path}`, reader } : { label, path, reader });
  });

  return app;
}

function askedFor(c: Context, label: string | undefined): Asked {
  const { application = "", profiles = "" } = c.req.param() as Record<string, string>;
  if (RESERVED.has(application)) throw nothing();
  return readAsked({ application, profiles, label });
}

function resolvesPlaceholders(c: Context): boolean {
  const asked = c.req.query("resolvePlaceholders") ?? "true";
  if (asked === "true" || asked === "false") return asked === "true";
  throw new Problem("VALIDATION_FAILED_400", "Check resolvePlaceholders", { errors: [{ path: "resolvePlaceholders", message: 'Use "true" or "false"' }] });
}

function refuseAmbiguous(target: string): void {
  const [path = ""] = target.split("?");
  if (!AMBIGUOUS.test(path)) return;
  throw new Problem("VALIDATION_FAILED_400", "The path could be read in two ways", { errors: [{ path: "path", message: "Send plain segments; (_) stands for a slash" }] });
}

function nothing(): Problem {
  return new Problem("NOT_FOUND_404", "There is nothing at this path");
}

function sized(c: Context, body: string | Uint8Array, type: string): Response {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  if (bytes.byteLength > MAX_ANSWER_BYTES) throw new Problem("CONFIG_TOO_LARGE_422", `The answer would be more than ${MAX_ANSWER_BYTES} bytes`);
  return c.body(bytes as Uint8Array<ArrayBuffer>, 200, { "content-type": type });
}
