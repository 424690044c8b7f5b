import { describe, type Log } from "./log.ts";
import { slots } from "./slots.ts";
import { TooLate, within } from "./within.ts";

/** Actuator's component (Spring Boot 4, `HealthComponent`): a leaf has details, a composite has components. */
export type Health = {
  status: "UP" | "DOWN" | "OUT_OF_SERVICE" | "UNKNOWN";
  details?: Record<string, unknown>;
  components?: Record<string, Health>;
  /** What went wrong: for the log, and in no answer. */
  cause?: unknown;
};

/** Asks one neighbour how it is; throwing means DOWN. */
export type HealthCheck = () => Promise<Health>;

/** The health at a path below `/actuator/health`, waiting so many milliseconds; undefined where nothing is. */
export type HealthAt = (path: readonly string[], limit: number) => Promise<Health | undefined>;

type HealthNeeds = {
  /** What the service stands on. */
  checks: Readonly<Record<string, HealthCheck>>;
  now: () => number;
  /** See `Sharing`: true where requests may wait for each other. */
  sharesPending: boolean;
  log: Log;
  /** In whose log it tells. */
  service: string;
};

/** What depends on nothing outside the service: a broken neighbour is no reason to restart it, or to take it out of its pool. */
const GROUPS = ["liveness", "readiness"];
const ORDER = ["DOWN", "OUT_OF_SERVICE", "UP", "UNKNOWN"] as const;

/** Anyone may ask how we are, as often as they like: a neighbour is not asked as often. */
const KEPT_MS = 1000;
/** What is still told when no more may ask. */
const STALE_MS = 10_000;
const CHECK_TIMEOUT_MS = 1500;
/** Where requests may not wait for each other. */
const MAX_AT_ONCE = 4;
/** That a neighbour was silent for less says nothing of it to others: a caller says how long it waits. */
const PATIENT_MS = 500;

/** Of each neighbour what it was like within the last second; a path asks nobody but whom it names. */
export function healthOf({ checks, ...needs }: HealthNeeds): HealthAt {
  const components = Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, kept(check, { ...needs, note: noting(name, needs) })]));

  async function whole(limit: number): Promise<Health> {
    const asked = Object.entries(components).map(async ([name, health]) => [name, await health(limit)] as const);
    const found = Object.fromEntries(await Promise.all(asked));
    const statuses = Object.values(found).map(({ status }) => status);
    const status = ORDER.find((worst) => statuses.includes(worst)) ?? (statuses.length === 0 ? "UP" : "UNKNOWN");
    return { status, components: found };
  }

  return async ([name, ...rest], limit) => {
    if (name === undefined) return whole(limit);
    if (GROUPS.includes(name)) return rest.length === 0 ? { status: "UP" } : undefined;
    const health = own(components, name);
    return health && below(await health(limit), rest);
  };
}

type Keeping = Pick<HealthNeeds, "now" | "sharesPending"> & { note: (health: Health) => void };

function kept(check: HealthCheck, { now, sharesPending, note }: Keeping): (limit: number) => Promise<Health> {
  const underway = slots({ max: MAX_AT_ONCE, now });
  let last: { at: number; health: Health } | undefined;
  let pending: Promise<Health> | undefined;

  async function ask(limit: number): Promise<Health> {
    const giveBack = underway.take(now() + limit);
    if (!giveBack) return lastWithin(STALE_MS) ?? { status: "UNKNOWN", details: { error: "Others are asking" } };
    const health = await within(limit, check()).catch(down).finally(giveBack);
    if (health.cause instanceof TooLate && limit < PATIENT_MS) return health;
    last = { at: now(), health };
    note(health);
    return health;
  }

  /** A clock that was set back makes nothing fresh. */
  function lastWithin(period: number): Health | undefined {
    return last && last.at <= now() && now() - last.at < period ? last.health : undefined;
  }

  return async (limit) => {
    const fresh = lastWithin(KEPT_MS);
    if (fresh) return fresh;
    if (!sharesPending) return ask(Math.min(limit, CHECK_TIMEOUT_MS));
    // It goes on for who waits longer.
    pending ??= ask(CHECK_TIMEOUT_MS).finally(() => {
      pending = undefined;
    });
    return within(limit, pending).catch(down);
  };
}

function down(cause: unknown): Health {
  return { status: "DOWN", details: { error: cause instanceof TooLate ? "No answer in time" : "Not available" }, cause };
}

/** Logs a component's state when it is another one than before; from the first it should be UP. */
function noting(name: string, { log, service }: Pick<HealthNeeds, "log" | "service">): (health: Health) => void {
  let told: Health["status"] = "UP";
  return (health) => {
    const { status } = health;
    if (status === told) return;
    told = status;
    const reason = status === "UP" ? undefined : reasonOf(health);
    log({ level: status === "UP" ? "info" : "warn", service, message: `The component "${name}" is ${status}`, ...(reason !== undefined && { error: describe(reason) }) });
  };
}

/** Of a composite, the names of what is not well in it. */
function reasonOf({ cause, details, components = {} }: Health): unknown {
  const names = Object.keys(components).filter((name) => components[name]?.status !== "UP");
  return cause ?? details?.["error"] ?? (names.length > 0 ? names.join(", ") : undefined);
}

function below(health: Health, [name, ...rest]: readonly string[]): Health | undefined {
  if (name === undefined) return health;
  const component = own(health.components ?? {}, name);
  return component && below(component, rest);
}

function own<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
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
