import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { DocumentSource } from "../../src/http/documents.ts";
import { SCALAR_VERSION } from "../../src/pages/documentation.ts";
import { scalarScript } from "../../workers/scalar.ts";
import { actuator } from "./actuator.ts";
import { problemOf } from "./problem.ts";

const PAGE = "/swagger-ui/index.html";
const SCRIPT = "/swagger-ui/scalar.js";
const PACKAGE = new URL("../../node_modules/@scalar/fastify-api-reference/", import.meta.url);

const HOSTILE = `"><script>alert(1)</script>'&`;
const SOURCES: DocumentSource[] = [
  { name: "one", title: "The first", url: "/v3/api-docs/one" },
  { name: "two", title: HOSTILE, url: "/v3/api-docs/two" },
];
const several = actuator({}, { documentSources: () => Promise.resolve(SOURCES) });

type Configuration = { sources: { title: string; slug: string; url: string; default: boolean }[] };

/** What the page gives Scalar, as a browser would read the attribute. */
function configurationIn(html: string): Configuration {
  const [, text = ""] = /data-configuration="([^"]*)"/.exec(html) ?? [];
  const names: Record<string, string> = { quot: '"', "#39": "'", lt: "<", gt: ">", amp: "&" };
  return JSON.parse(text.replaceAll(/&(quot|#39|lt|gt|amp);/g, (_, name: string) => names[name]!)) as Configuration;
}

describe("The documentation page", () => {
  test("may load and ask its own server only, and runs no script that stands in it", async () => {
    const response = await several.request(PAGE);
    expect(response.headers.get("content-security-policy")!.split("; ").toSorted()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
    ]);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const html = await response.text();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:|https?:/i);
    const loaded = [...html.matchAll(/<(?:script|link)[^>]*\s(?:src|href)="([^"?]*)/g)].map(([, path]) => path!);
    expect(loaded.toSorted()).toEqual(["/swagger-ui/documentation.css", "/swagger-ui/documentation.js", "/swagger-ui/icon.svg", SCRIPT]);
    for (const path of loaded) expect((await several.request(path)).headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
  });

  test("offers nothing that would ask another host", async () => {
    expect(configurationIn(await (await several.request(PAGE)).text())).toMatchObject({
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: "never",
      hideClientButton: true,
    });
  });

  test("shows the service's own document, or lets choose among those it is given: the first, or the one asked for", async () => {
    const shownAt = async (app: typeof several, query = "") => configurationIn(await (await app.request(`${PAGE}${query}`)).text()).sources;
    expect(await shownAt(actuator())).toEqual([{ title: "Probe", slug: "probe", url: "/v3/api-docs", default: true }]);
    const chosen = async (query: string) => (await shownAt(several, query)).find((source) => source.default)?.slug;
    expect((await shownAt(several)).map(({ title }) => title)).toEqual(["The first", HOSTILE]);
    expect(await chosen("")).toBe("one");
    expect(await chosen("?urls.primaryName=two")).toBe("two");
    expect(await chosen("?urls.primaryName=nobody")).toBe("one");
    expect(await chosen(`?urls.primaryName=${encodeURIComponent(HOSTILE)}`)).toBe("one");
  });

  test("shows what services are called as text, and links to the documents for who runs no script", async () => {
    const html = await (await several.request(PAGE)).text();
    expect(html).not.toContain("<script>alert");
    expect(html).toContain('<a href="/v3/api-docs/one">The first</a>');
    expect(html).toContain('<a href="/v3/api-docs/two">&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;</a>');
  });
});

describe("The script of the page", () => {
  const file = readFileSync(new URL("dist/js/standalone.js", PACKAGE));
  const app = actuator({}, { documentationScript: scalarScript() });

  test.each([["as it is", {}], ["as it is to who refuses gzip", { "accept-encoding": "br, gzip;q=0" }]])("is the package's one file, %s", async (_, headers) => {
    const response = await app.request(SCRIPT, { headers: headers as Record<string, string> });
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(file.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });

  test("comes compressed to who takes that, a third of the size, and again the same", async () => {
    const get = async () => Buffer.from(await (await app.request(SCRIPT, { headers: { "accept-encoding": "gzip, br" } })).arrayBuffer());
    const [once, again] = [await get(), await get()];
    expect(once.length).toBeLessThan(file.length / 3);
    expect(again.equals(once)).toBe(true);
    expect(gunzipSync(once).equals(file)).toBe(true);
  });

  test("is kept for ever under its version, which is the package's", async () => {
    const { version } = JSON.parse(readFileSync(new URL("package.json", PACKAGE), "utf8")) as { version: string };
    expect(SCALAR_VERSION).toBe(version);
    expect(await (await app.request(PAGE)).text()).toContain(`src="${SCRIPT}?${version}"`);
    const { headers } = await app.request(SCRIPT);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const again = await app.request(SCRIPT, { headers: { "if-none-match": headers.get("etag")! } });
    expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: "" });
  });

  test("that is not there is a documented problem which nobody keeps", async () => {
    const response = await several.request(SCRIPT);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await problemOf(response)).toEqual({ status: 503, code: "UPSTREAM_UNAVAILABLE_503" });
  });
});
