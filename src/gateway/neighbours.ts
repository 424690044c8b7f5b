import * as z from "zod";
import { beginCall, type Call } from "../http/call.ts";
import type { Health } from "../http/health.ts";
import { jsonOf, shaped, upstream, upstreamProblem } from "../http/upstream.ts";
import { DocumentSchema, excerpt, type Shown } from "./excerpt.ts";
import type { Service } from "./forward.ts";

const TIMEOUT_MS = 1000;

const WORDS = { timeout: "No answer in time", unavailable: "Not available", unusable: "No usable answer" };

const HealthSchema: z.ZodType<Health> = z.object({
  status: z.enum(["UP", "DOWN", "OUT_OF_SERVICE", "UNKNOWN"]),
  details: z.record(z.string(), z.unknown()).optional(),
  get components() {
    return z.record(z.string(), HealthSchema).optional();
  },
});

/** What the gateway itself asks a service. */
export function neighbour(name: string, { service, now }: { service: Service; now: () => number }) {
  const { send } = upstream({ ...service, name, now, timeout: TIMEOUT_MS });

  return {
    /** Never throws: a service that does not say how it is, is down. */
    async health(): Promise<Health> {
      const call = beginCall(new Headers(), { now: now(), limit: TIMEOUT_MS });
      const outcome = await send(call, { method: "GET", path: "/actuator/health" });
      if (outcome.kind === "lost") return down(WORDS[outcome.reason]);
      const health = HealthSchema.safeParse(jsonOf(outcome.text));
      return health.success ? health.data : down(WORDS.unusable);
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

function down(error: string): Health {
  return { status: "DOWN", details: { error } };
}
