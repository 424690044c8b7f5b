import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { gatewayBefore, recorder } from "../gateway/platform.ts";
import { actuator } from "./actuator.ts";

type Exchange = {
  group: string;
  request: { method: string; path: string; headers: Record<string, string> };
  response: { status: number; headers: Record<string, string>; body?: Record<string, unknown> };
};

type Answer = { status: number; type?: string | undefined; location?: string | undefined; allow?: string | undefined; cache?: string | undefined; accept?: string | undefined; body?: unknown };

type Difference = { reason: string; where: (exchange: Exchange) => boolean; ours: (theirs: Answer) => Answer };

const lines = readFileSync(new URL("./transcripts/springdoc.jsonl", import.meta.url), "utf8").trim().split("\n");
/** What springdoc 3.1.1 on Spring Boot 4.1.0 answered: alone, with two groups, and leading to two services. */
const exchanges = lines.map((line) => JSON.parse(line) as Exchange);

const isPath = (pattern: RegExp) => (exchange: Exchange) => pattern.test(exchange.request.path);
const has = (name: string) => (exchange: Exchange) => exchange.response.body?.[name] !== undefined;
const isRefused = (exchange: Exchange) => exchange.response.status === 405;

const DOCUMENTS = [
  { url: "/v3/api-docs/user-service", name: "user-service" },
  { url: "/v3/api-docs/auth-service", name: "auth-service" },
  { url: "/v3/api-docs", name: "gateway" },
];

const MISSING: Answer = { status: 404, type: "application/problem+json", cache: "no-store" };

/** Where ours answers otherwise on purpose; each is met at least once. */
const DIFFERENCES: Difference[] = [
  {
    reason: "an error says what is wrong in the form that all of ours have (RFC 9457), where Boot has a form of its own, HTML, or nothing",
    where: ({ response }) => response.status >= 400,
    ours: (theirs) => ({ ...theirs, type: "application/problem+json", cache: "no-store" }),
  },
  {
    reason: "a refused method is told all that are there (RFC 9110, 10.2.1), not the first",
    where: (exchange) => isRefused(exchange) && isPath(/^\/v3/)(exchange),
    ours: (theirs) => ({ ...theirs, allow: "GET, HEAD, OPTIONS" }),
  },
  {
    reason: "the same; and of a page nobody asks what it takes",
    where: (exchange) => isRefused(exchange) && isPath(/^\/swagger-ui/)(exchange),
    ours: (theirs) => ({ ...theirs, allow: "GET, HEAD" }),
  },
  {
    reason: "the page is Scalar's: the files of Swagger UI and of its OAuth redirect are not there",
    where: isPath(/^\/swagger-ui\/(swagger-|oauth2-)|^\/webjars/),
    ours: () => MISSING,
  },
  {
    reason: "the gateway hands on JSON: whoever reads YAML asks the service itself, or converts it",
    where: (exchange) => exchange.group === "groups" && isPath(/\.yaml\//)(exchange),
    ours: () => MISSING,
  },
  {
    reason: "HTML says what it is written in",
    where: (exchange) => exchange.response.headers["Content-Type"] === "text/html" && isPath(/^\/swagger-ui\/index/)(exchange),
    ours: (theirs) => ({ ...theirs, type: "text/html; charset=UTF-8" }),
  },
  {
    reason: "no document of ours has a flow that comes back to a redirect page",
    where: has("oauth2RedirectUrl"),
    ours: ({ body, ...theirs }) => ({ ...theirs, body: without(body as object, "oauth2RedirectUrl") }),
  },
  {
    reason: "an address is one, whoever has generated it",
    where: has("servers"),
    ours: ({ body, ...theirs }) => ({ ...theirs, body: { ...(body as object), servers: (body as Document).servers.map((server) => without(server, "description")) } }),
  },
  {
    reason: "what the gateway leads to has the gateway for its address, whichever name that is called by",
    where: (exchange) => has("servers")(exchange) && isPath(/\/(probe|switches)$/)(exchange),
    ours: ({ body, ...theirs }) => ({ ...theirs, body: { ...(body as object), servers: [{ url: "/" }] } }),
  },
  {
    reason: "the documents are those of our services, the gateway's own among them; the first is shown first",
    where: has("urls"),
    ours: ({ body, ...theirs }) => ({ ...theirs, body: { ...(body as object), urls: DOCUMENTS, "urls.primaryName": "user-service" } }),
  },
];

type Document = { openapi: string; servers: object[] };

function without(object: object, name: string): object {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

const alone = actuator();
const service = recorder((c) => c.json({ openapi: "3.1.0", info: { title: "Probe", version: "1" }, servers: [{ url: "http://probe.test" }], paths: {} }));
const { app: front } = gatewayBefore({ users: service, auth: service });

/** Its groups stand for our services. */
const ours = (path: string) => path.replace(/\/probe$/, "/user-service").replace(/\/switches$/, "/auth-service");

async function answerOf(response: Response, { request, response: recorded }: Exchange): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const { openapi, servers, ...rest } = recorded.body && text !== "" ? (JSON.parse(text) as Document) : ({} as Partial<Document>);
  const body = recorded.body && text !== "" ? (openapi ? { openapi, servers } : rest) : undefined;
  if (request.method === "HEAD") expect(text).toBe("");
  return { ...shown((name) => headers.get(name) ?? undefined), status, body };
}

function shown(header: (name: string) => string | undefined) {
  return { type: header("content-type"), location: header("location"), allow: header("allow"), cache: header("cache-control"), accept: header("accept") };
}

const met = new Set<Difference>();

test.each(exchanges.map((exchange, index) => [index, exchange.request.method, exchange.request.path, exchange.group, exchange] as const))(
  "exchange %i is answered as springdoc answers it: %s %s, %s",
  async (_, method, path, group, exchange) => {
    const app = group === "one API" ? alone : front;
    const host = exchange.request.headers["Host"] ?? "localhost:18090";
    const response = await app.request(`http://${host}${ours(path)}`, { method, headers: exchange.request.headers });
    const recorded = new Headers(exchange.response.headers);
    const { status, body } = exchange.response;
    let expected: Answer = { ...shown((name) => recorded.get(name) ?? undefined), status, body: method === "HEAD" ? undefined : body };
    for (const difference of DIFFERENCES.filter(({ where }) => where(exchange))) {
      met.add(difference);
      expected = difference.ours(expected);
    }
    expect(await answerOf(response, exchange)).toEqual(expected);
  },
);

test("every difference is one that is there", () => {
  expect(DIFFERENCES.filter((difference) => !met.has(difference)).map(({ reason }) => reason)).toEqual([]);
});
