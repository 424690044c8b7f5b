import { TooLate, within } from "./within.ts";

/** Actuator's component (Spring Boot 4, `HealthComponent`): a leaf has details, a composite has components. */
export type Health = {
  status: "UP" | "DOWN" | "OUT_OF_SERVICE" | "UNKNOWN";
  details?: Record<string, unknown>;
  components?: Record<string, Health>;
};

/** Asks one neighbour how it is; throwing means DOWN. */
export type HealthCheck = () => Promise<Health>;

/** What a service stands on, and the milliseconds that asking may take. */
export type Checks = { checks: Readonly<Record<string, HealthCheck>>; limit: number };

/** What depends on nothing outside the service: a broken neighbour is no reason to restart it, or to take it out of its pool. */
const GROUPS = ["liveness", "readiness"];
const ORDER = ["DOWN", "OUT_OF_SERVICE", "UP", "UNKNOWN"] as const;

/** The health at `path` below `/actuator/health`, asking nobody else; undefined where nothing is. */
export async function healthAt(path: readonly string[], on: Checks): Promise<Health | undefined> {
  const [name, ...rest] = path;
  if (name === undefined) return whole(on);
  if (GROUPS.includes(name)) return rest.length === 0 ? { status: "UP" } : undefined;
  const check = own(on.checks, name);
  return check && below(await run(check, on.limit), rest);
}

async function whole({ checks, limit }: Checks): Promise<Health> {
  const entries = Object.entries(checks).map(async ([name, check]) => [name, await run(check, limit)] as const);
  const components = Object.fromEntries(await Promise.all(entries));
  const statuses = Object.values(components).map(({ status }) => status);
  const status = ORDER.find((worst) => statuses.includes(worst)) ?? (statuses.length === 0 ? "UP" : "UNKNOWN");
  return { status, components };
}

function below(health: Health, [name, ...rest]: readonly string[]): Health | undefined {
  if (name === undefined) return health;
  const component = own(health.components ?? {}, name);
  return component && below(component, rest);
}

function own<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

async function run(check: HealthCheck, limit: number): Promise<Health> {
  try {
    return await within(limit, check());
  } catch (error) {
    return { status: "DOWN", details: { error: error instanceof TooLate ? "No answer in time" : "Not available" } };
  }
}

/** What is at a path, as Boot 4 writes it, keys in order; version 2 of its media type called components details. */
export function healthBody(health: Health, isVersion2: boolean): object {
  const { status, ...rest } = body(health, isVersion2);
  return { ...rest, groups: health.components && GROUPS, status };
}

function body({ status, details, components = {} }: Health, isVersion2: boolean): { components?: object | undefined; details?: object | undefined; status: string } {
  const names = Object.keys(components).toSorted();
  const members = Object.fromEntries(names.map((name) => [name, body(components[name]!, isVersion2)]));
  const parts = names.length === 0 ? undefined : members;
  return isVersion2 ? { details: parts ?? details, status } : { components: parts, details, status };
}
