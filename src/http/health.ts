import type { Hono } from "hono";
import type { ShellEnv } from "./shell.ts";

/** Actuator's component (Spring Boot 4, `HealthComponent`): a leaf has details, a composite has components. */
export type Health = {
  status: "UP" | "DOWN" | "OUT_OF_SERVICE" | "UNKNOWN";
  details?: Record<string, unknown>;
  components?: Record<string, Health>;
};

/** Asks one neighbour how it is; throwing means DOWN. */
export type HealthCheck = () => Promise<Health>;

const ORDER = ["DOWN", "OUT_OF_SERVICE", "UP", "UNKNOWN"] as const;
const CONTENT_TYPE = "application/vnd.spring-boot.actuator.v3+json";
const CHECK_TIMEOUT_MS = 1500;

/** `/actuator/health` with its groups and components. Liveness and readiness depend on nothing outside the service. */
export function serveHealth(app: Hono<ShellEnv>, checks: Record<string, HealthCheck>): void {
  app.get("/actuator/health", async () => answer({ ...aggregate(await components(checks)), groups: ["liveness", "readiness"] }));
  app.get("/actuator/health/liveness", () => answer({ status: "UP" }));
  app.get("/actuator/health/readiness", () => answer({ status: "UP" }));
  app.get("/actuator/health/:component", async (c) => {
    const name = c.req.param("component");
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    return check ? answer(await run(check)) : c.body(null, 404);
  });
}

/** The worst status of the components, in Actuator's order. */
function aggregate(components: Record<string, Health>): Health {
  const statuses = Object.values(components).map(({ status }) => status);
  const status = ORDER.find((worst) => statuses.includes(worst)) ?? "UP";
  return statuses.length === 0 ? { status } : { status, components };
}

async function components(checks: Record<string, HealthCheck>): Promise<Record<string, Health>> {
  const names = Object.keys(checks).toSorted();
  const results = await Promise.all(names.map((name) => run(checks[name]!)));
  return Object.fromEntries(names.map((name, index) => [name, results[index]!]));
}

async function run(check: HealthCheck): Promise<Health> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Health>((resolve) => {
    timer = setTimeout(() => resolve({ status: "DOWN", details: { error: "No answer in time" } }), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([check(), late]);
  } catch {
    return { status: "DOWN", details: { error: "Not available" } };
  } finally {
    clearTimeout(timer);
  }
}

function answer(health: Health & { groups?: string[] }): Response {
  const isDown = health.status === "DOWN" || health.status === "OUT_OF_SERVICE";
  return new Response(JSON.stringify(health), {
    status: isDown ? 503 : 200,
    headers: { "content-type": CONTENT_TYPE, "cache-control": "no-store" },
  });
}
