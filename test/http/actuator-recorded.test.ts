import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Health } from "../../src/http/health.ts";
import { actuator } from "./actuator.ts";

type Exchange = {
  group: string;
  request: { method: string; path: string; headers?: Record<string, string> };
  response: { status: number; headers: Record<string, string>; body: unknown };
};

type Answer = { status: number; type?: string | undefined; allow?: string | undefined; accept?: string | undefined; body: unknown };

type Difference = { reason: string; where: (exchange: Exchange) => boolean; ours: (theirs: Answer, exchange: Exchange) => Answer };

const lines = readFileSync(new URL("./transcripts/actuator.jsonl", import.meta.url), "utf8").trim().split("\n");
/** What Spring Boot 4.1.0 answered, with every endpoint and every detail shown; but for `description`, which no component of ours has. */
const exchanges = lines.map((line) => JSON.parse(line, (key, value: unknown) => (key === "description" ? undefined : value)) as Exchange);

const isStateGroup = ({ group }: Exchange) => /REFUSING_TRAFFIC|BROKEN/.test(group);
const isPath = (pattern: RegExp) => (exchange: Exchange) => pattern.test(exchange.request.path);
const problem = (status: number) => ({ status, type: "application/problem+json", body: "a problem" });

/** Where ours answers otherwise on purpose; each is met at least once. */
const DIFFERENCES: Difference[] = [
  {
    reason: "an error says what is wrong in the form that all of ours have (RFC 9457), where Boot has a form of its own, HTML, or nothing",
    where: ({ response: { status, body } }) => status === 406 || (body as { timestamp?: unknown }).timestamp !== undefined,
    ours: (theirs) => ({ ...theirs, ...problem(theirs.status) }),
  },
  {
    reason: "a refused method is told all that are there (RFC 9110, 10.2.1), not the first",
    where: ({ response }) => response.status === 405,
    ours: (theirs) => ({ ...theirs, allow: "GET, HEAD, OPTIONS" }),
  },
  {
    reason: "no other origin reads health: a preflight is told what is there, not what a browser may try",
    where: ({ request }) => request.headers?.["Access-Control-Request-Method"] !== undefined,
    ours: (theirs) => ({ ...theirs, allow: "GET,HEAD,OPTIONS" }),
  },
  {
    reason: "JSON has no charset parameter (RFC 8259, 11)",
    where: ({ request }) => request.headers?.["Accept"] === "application/json;charset=UTF-8",
    ours: (theirs) => ({ ...theirs, type: "application/json" }),
  },
  {
    reason: "a check that throws makes its component DOWN, and is no failure of ours",
    where: (exchange) => /vault THROWS/.test(exchange.group) && exchange.response.status === 500,
    ours: (theirs, { request }) => {
      const vault = { details: { error: "Not available" }, status: "DOWN" };
      const whole = { ...whollyUp, components: { ...whollyUp.components, vault }, status: "DOWN" };
      const body = request.path.endsWith("/vault") ? vault : whole;
      return { ...theirs, status: 503, type: "application/json", body: request.method === "HEAD" ? "" : body };
    },
  },
  {
    reason: "dot segments are gone before a route is looked for, as RFC 3986, 5.2.4 has it",
    where: isPath(/\/\.\.$/),
    ours: (theirs) => ({ ...theirs, ...problem(404) }),
  },
  {
    reason: "the same, encoded: the URL Standard takes `%2e` for a dot",
    where: isPath(/%2e%2e/),
    ours: (theirs) => ({ ...theirs, status: 200, type: "application/json", body: OWN_INFO }),
  },
  {
    reason: "the groups of ours are the two that an orchestrator asks for",
    where: ({ response: { body } }) => (body as { groups?: unknown }).groups !== undefined,
    ours: (theirs) => ({ ...theirs, body: { ...(theirs.body as object), groups: ["liveness", "readiness"] } }),
  },
  {
    reason: "ours has neither the state that refuses traffic nor the broken one: a process that must go is ended",
    where: (exchange) => isStateGroup(exchange) && exchange.request.path.endsWith("ness"),
    ours: (theirs) => ({ ...theirs, status: 200, body: { status: "UP" } }),
  },
  {
    reason: "ours has its own names of applications, endpoints and metrics",
    where: (exchange) => exchange.response.status === 200 && exchange.request.method === "GET" && !exchange.group.startsWith("health"),
    ours: (theirs, { group, request }) => ({ ...theirs, body: ownBody(theirs.body, { group, request }) }),
  },
  {
    reason: "there is no protocol buffer of the metrics: whoever reads it reads the text too, and says so",
    where: ({ request }) => request.headers?.["Accept"]?.includes("protobuf") === true,
    ours: (theirs) => ({ ...theirs, ...problem(406), accept: PROMETHEUS_TYPES }),
  },
  {
    reason: "so it is not offered either",
    where: ({ response }) => response.headers["Accept"]?.includes("protobuf") === true,
    ours: (theirs) => ({ ...theirs, accept: PROMETHEUS_TYPES }),
  },
  {
    reason: "brackets in a query are no mistake: it is a parameter that nobody knows",
    where: isPath(/\[\]/),
    ours: (theirs) => ({ ...theirs, status: 200, type: "text/plain;version=0.0.4;charset=utf-8", body: "metrics" }),
  },
];

const PROMETHEUS_TYPES = "text/plain;version=0.0.4;charset=utf-8, application/openmetrics-text;version=1.0.0;charset=utf-8";
const OWN_INFO = {
  app: { name: "probe", description: "What is asked" },
  build: { artifact: "probe", name: "Probe", version: "0.1.0", group: "gatehouse" },
  runtime: { name: "Node.js", version: process.versions.node.split(".")[0] },
};
const OWN_LINKS = ["self", "info", "prometheus", "health", "health-path"];

function ownBody(theirs: unknown, { group, request }: Pick<Exchange, "group" | "request">): unknown {
  if (group === "info") return OWN_INFO;
  if (group === "prometheus") return theirs === "" ? "" : "metrics";
  const { _links: links } = theirs as { _links: Record<string, unknown> };
  expect(request.path).toBe("/actuator");
  return { _links: Object.fromEntries(OWN_LINKS.map((name) => [name, links[name]])) };
}

const wholly = (exchange: Exchange | undefined) => exchange?.response.body as { components: Record<string, Health>; groups: string[]; status: string };
const whollyUp = { ...wholly(exchanges.find(({ group }) => group === "health: broker UP, vault UP")), groups: ["liveness", "readiness"] };

/** A service whose neighbours are as those were when `exchange` was recorded. */
function asThen({ group }: Exchange) {
  const components = wholly(exchanges.find((one) => one.group === group && (one.response.body as Partial<Health>).components !== undefined))?.components ?? whollyUp.components;
  const checks = Object.entries(components).map(([name, health]) => [name, () => Promise.resolve(health)] as const);
  const thrown = group.includes("vault THROWS") && { vault: () => Promise.reject(new Error("vault:8200 refused")) };
  return actuator({ ...Object.fromEntries(checks), ...thrown });
}

async function answerOf(response: Response, isMetrics: boolean): Promise<Answer> {
  const { status, headers } = response;
  const [type, allow, accept] = ["content-type", "allow", "accept"].map((name) => headers.get(name) ?? undefined);
  const text = await response.text();
  const body = type === "application/problem+json" && text !== "" ? "a problem" : isMetrics && text.startsWith("# ") ? "metrics" : parsed(text);
  return { status, type, allow, accept, body };
}

function parsed(text: string): unknown {
  return text === "" ? "" : JSON.parse(text);
}

const met = new Set<Difference>();

test.each(exchanges.map((exchange, index) => [index, exchange.request.method, exchange.request.path, exchange.group, exchange] as const))(
  "exchange %i is answered as Boot answers it: %s %s, %s",
  async (_index, method, path, _group, exchange) => {
    const { headers } = exchange.response;
    const theirs = { status: exchange.response.status, type: headers["Content-Type"], allow: headers["Allow"], accept: headers["Accept"], body: exchange.response.body };
    const differences = DIFFERENCES.filter(({ where }) => where(exchange));
    for (const difference of differences) met.add(difference);
    const expected = differences.reduce<Answer>((answer, { ours }) => ours(answer, exchange), theirs);
    const { Host: host = "localhost:18090", ...sent } = exchange.request.headers ?? {};
    const response = await asThen(exchange).request(`http://${host}${path}`, { method, headers: sent });
    expect(await answerOf(response, exchange.group === "prometheus")).toEqual(expected);
  },
);

test("the keys come in the order in which Boot 4 writes them", async () => {
  const exchange = exchanges.find(({ request }) => request.path.endsWith("/discoveryComposite"))!;
  const text = await (await asThen(exchange).request("/actuator/health/discoveryComposite")).text();
  const { components } = exchange.response.body as Health;
  expect(text).toBe(JSON.stringify({ components, groups: ["liveness", "readiness"], status: "UP" }));
});

test("every difference is one", () => {
  expect(DIFFERENCES.filter((difference) => !met.has(difference)).map(({ reason }) => reason)).toEqual([]);
});
