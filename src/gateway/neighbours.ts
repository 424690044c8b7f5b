import * as z from "zod";
import { beginCall, type Call } from "../http/call.ts";
import type { Health } from "../http/health.ts";
import { jsonOf, shaped, upstream, upstreamProblem } from "../http/upstream.ts";
import { DocumentSchema, excerpt, type Shown } from "./excerpt.ts";
import type { Service } from "./forward.ts";

const TIMEOUT_MS = 1000;
/** Whoever probes the gateway mostly waits for a second, and is to hear which service is silent. */
const HEALTH_TIMEOUT_MS = 750;
/** Where a service may have to be started first, as on Workers. */
const COLD_HEALTH_TIMEOUT_MS = 1000;

const WORDS = { timeout: "No answer in time", unavailable: "Not available", unusable: "No usable answer" };

const HealthSchema: z.ZodType<Health> = z.object({
  status: z.enum(["UP", "DOWN", "OUT_OF_SERVICE", "UNKNOWN"]),
  details: z.record(z.string(), z.unknown()).optional(),
  get components() {
    return z.record(z.string(), HealthSchema).optional();
  },
});

/** What the gateway itself asks a service. */
export function neighbour(name: string, { service, now, isCold = false }: { service: Service; now: () => number; isCold?: boolean }) {
  const timeout = isCold ? COLD_HEALTH_TIMEOUT_MS : HEALTH_TIMEOUT_MS;
  const { send } = upstream({ ...service, name, now, timeout: TIMEOUT_MS });
  // Whoever reads documents takes no place from who asks how we are.
  const checks = upstream({ ...service, name, now, timeout, maxInFlight: 8 });

  return {
    /** Never throws: a service that does not say how it is, is down. */
    async health(): Promise<Health> {
      const call = beginCall(new Headers(), { now: now(), limit: timeout });
      const outcome = await checks.send(call, { method: "GET", path: "/actuator/health" });
      if (outcome.kind === "lost") return down(WORDS[outcome.reason], outcome.cause);
      const health = HealthSchema.safeParse(jsonOf(outcome.text));
      return health.success ? shownOf(health.data) : down(WORDS.unusable, health.error);
    },

    /** The service's API description; undefined where it says that it has none. */
    async document(call: Call, shown: Shown): Promise<object | undefined> {
      const outcome = await send(call, { method: "GET", path: "/v3/api-docs" });
      if (outcome.kind === "answer" && outcome.status === 404) return undefined;
      if (outcome.kind === "lost" || outcome.status !== 200) throw upstreamProblem(name, outcome);
      return excerpt(shaped(name, outcome, DocumentSchema), shown);
    },
  };
}

/** The gateway's health is everyone's to read: how far a service has come and what it runs on is told at its own port only. */
function shownOf({ status, details, components }: Health): Health {
  const error = details?.["error"];
  const shown = components && Object.fromEntries(Object.entries(components).map(([name, health]) => [name, shownOf(health)]));
  return { status, ...(typeof error === "string" && { details: { error } }), ...(shown && { components: shown }) };
}

function down(error: string, cause: unknown): Health {
  return { status: "DOWN", details: { error }, cause };
}
