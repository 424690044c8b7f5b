import type { Context, Hono } from "hono";
import { documentationPage, SCALAR_VERSION } from "../pages/documentation.ts";
import { DOCUMENTATION_SCRIPT, DOCUMENTATION_STYLE } from "../pages/documentation-files.ts";
import { ICON } from "../pages/style.ts";
import { Problem } from "./problem.ts";
import { DOCUMENT_PATH, type DocumentNeeds } from "./documents.ts";
import type { Fetch } from "./fetch.ts";
import type { ShellEnv } from "./shell.ts";

export type DocumentationNeeds = DocumentNeeds & {
  /** Answers a request for Scalar's script, whatever its address. */
  documentationScript: Fetch;
};

const VALIDATOR = `W/"${SCALAR_VERSION}"`;

export const DOCUMENTATION_PATH = "/swagger-ui/index.html";

/**
 * Scalar sets `style` attributes in the HTML it writes and makes `<style>` elements without a nonce, so styles cannot be held to
 * our own files. A style that somebody smuggled in could not send anything away: nothing is loaded from elsewhere.
 */
export const DOCUMENTATION_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", "data:"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** The interactive documentation, where springdoc has it. */
export function serveDocumentation(app: Hono<ShellEnv>, needs: DocumentationNeeds): void {
  const { name, title, documentSources = () => Promise.resolve([{ name, title, url: DOCUMENT_PATH }]) } = needs;

  app.get("/swagger-ui.html", (c) => c.redirect(DOCUMENTATION_PATH + new URL(c.req.url).search));
  app.get(DOCUMENTATION_PATH, async (c) => {
    const sources = await documentSources();
    const asked = c.req.query("urls.primaryName");
    const shown = sources.find((source) => source.name === asked) ?? sources[0];
    c.header("cache-control", "no-store");
    const offered = sources.map((source) => ({ title: source.title, slug: source.name, url: source.url, default: source === shown }));
    return c.html(documentationPage({ title, sources: offered }));
  });
  serveFile("documentation.js", { type: "text/javascript", text: DOCUMENTATION_SCRIPT });
  serveFile("documentation.css", { type: "text/css", text: DOCUMENTATION_STYLE });
  serveFile("icon.svg", { type: "image/svg+xml", text: ICON });
  app.get("/swagger-ui/scalar.js", (c) => script(c, needs.documentationScript));

  function serveFile(file: string, { type, text }: { type: string; text: string }): void {
    app.get(`/swagger-ui/${file}`, (c) => c.body(text, 200, { "content-type": `${type}; charset=utf-8`, "cache-control": "max-age=300" }));
  }
}

async function script(c: Context, documentationScript: Fetch): Promise<Response> {
  const kept = { etag: VALIDATOR, "cache-control": "public, max-age=31536000, immutable" };
  if (c.req.header("if-none-match")?.includes(VALIDATOR)) return c.body(null, 304, kept);
  const { status, headers, body } = await documentationScript(c.req.raw);
  if (status !== 200) throw new Problem("UPSTREAM_UNAVAILABLE_503", "The script of the documentation is not available", { retryAfter: 5 });
  const passed = ["content-type", "content-encoding", "vary"].map((name): [string, string] => [name, headers.get(name) ?? ""]);
  return new Response(body, { headers: { ...Object.fromEntries(passed.filter(([, value]) => value !== "")), ...kept } });
}
