import type { Context, Hono } from "hono";
import { exposition, OPEN_METRICS, TEXT } from "../metrics/exposition.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { isSameSecret } from "../passwords/constant-time.ts";
import { unauthenticated } from "./bearer.ts";
import { type HealthAt, healthBody } from "./health.ts";
import { info } from "./info.ts";
import { isForLoopback } from "./loopback.ts";
import { preferred } from "./media-type.ts";
import { Problem } from "./problem.ts";
import type { ShellEnv } from "./shell.ts";

/** Who may read a service's metrics: everyone on a machine that only itself can reach, or who has the token, or nobody. */
export type MetricsAccess = { isLoopback: boolean; token?: string | undefined };

export type ActuatorNeeds = {
  name: string;
  title: string;
  description: string;
  now: () => number;
  healthAt: HealthAt;
  metrics: Metrics;
  metricsAccess: MetricsAccess;
  /** The service's address as its callers know it; else that of each request. */
  origin?: string | undefined;
};

type Handler = (c: Context<ShellEnv>) => Response | Promise<Response>;

const V2 = "application/vnd.spring-boot.actuator.v2+json";
const JSON_TYPES = ["application/vnd.spring-boot.actuator.v3+json", V2, "application/json"];
const HEALTH = "/actuator/health";
/** Of the time that the caller waits: it hears which component is silent, instead of silence. */
const SHARE_FOR_CHECKS = 0.8;

/** Actuator's endpoints (Spring Boot 4): health, info, metrics and their index. */
export function serveActuator(app: Hono<ShellEnv>, needs: ActuatorNeeds): void {
  const { metrics, metricsAccess, origin } = needs;
  const { isLoopback, token } = metricsAccess;
  const hasMetrics = isLoopback || token !== undefined;

  const health: Handler = async (c) => {
    const type = negotiated(c, JSON_TYPES);
    const rest = c.req.path.slice(HEALTH.length + 1);
    const limit = SHARE_FOR_CHECKS * (c.get("call").deadline - needs.now());
    const found = await needs.healthAt(rest === "" ? [] : rest.split("/"), limit);
    if (!found) return c.body(null, 404, { "cache-control": "no-store" });
    const isDown = found.status === "DOWN" || found.status === "OUT_OF_SERVICE";
    return json(c, healthBody(found, type === V2), { type, status: isDown ? 503 : 200 });
  };

  const prometheus: Handler = async (c) => {
    if (!(isLoopback && isForLoopback(c.req.raw))) await admit(c, token);
    const type = negotiated(c, [TEXT, OPEN_METRICS]);
    const names = new Set((c.req.queries("includedNames") ?? []).flatMap((text) => text.split(",")).filter((name) => name !== ""));
    const text = await exposition(await metrics.all(), { type, names });
    return c.body(text, 200, { "content-type": type, "cache-control": "no-store" });
  };

  const endpoints: Record<string, Handler> = {
    "/actuator": (c) => json(c, index(origin ?? new URL(c.req.url).origin, hasMetrics), { type: negotiated(c, JSON_TYPES) }),
    [HEALTH]: health,
    [`${HEALTH}/*`]: health,
    "/actuator/info": (c) => json(c, info(needs), { type: negotiated(c, JSON_TYPES) }),
    ...(hasMetrics && { "/actuator/prometheus": prometheus }),
  };
  for (const [path, handler] of Object.entries(endpoints)) {
    app.get(path, handler);
    app.options(path, (c) => c.body(null, 200, { allow: "GET,HEAD,OPTIONS", "accept-patch": "" }));
  }
}

function index(origin: string, hasMetrics: boolean): object {
  const link = (path: string, templated = false) => ({ href: `${origin}/actuator${path}`, templated });
  return {
    _links: {
      self: link(""),
      info: link("/info"),
      ...(hasMetrics && { prometheus: link("/prometheus") }),
      health: link("/health"),
      "health-path": link("/health/{*path}", true),
    },
  };
}

async function admit(c: Context<ShellEnv>, token = ""): Promise<void> {
  const given = /^Bearer +([\w.~+/=-]+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  if (given === undefined) throw unauthenticated("Send the token that metrics are read with");
  if (token === "" || !(await isSameSecret(given, token))) throw unauthenticated("The token is not the one", new Error("Another token"));
}

function negotiated(c: Context<ShellEnv>, offered: readonly string[]): string {
  const type = preferred(c.req.header("accept"), offered);
  if (type !== undefined) return type;
  const accept = offered.join(", ");
  throw new Problem("NOT_ACCEPTABLE_406", `Accept one of ${accept}`, { headers: { accept } });
}

function json(c: Context<ShellEnv>, body: object, { type, status = 200 }: { type: string; status?: 200 | 503 }): Response {
  return c.body(JSON.stringify(body), status, { "content-type": type, "cache-control": "no-store" });
}
