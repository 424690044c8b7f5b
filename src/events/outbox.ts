import type { Database } from "../database/client.ts";
import type { HealthCheck } from "../http/health.ts";
import type { Reading } from "../metrics/metrics.ts";
import { MAX_COUNTED, outboxState } from "./outbox-store.ts";

/** From then on, what subscribers know is so old that somebody should look. */
const LATE_MS = 300_000;

/** How much waits to be relayed, and for how long. */
export function outboxReading(db: Database, now: () => number): Reading<"gatehouse_outbox_events" | "gatehouse_outbox_oldest_age_seconds" | "gatehouse_outbox_set_aside_events"> {
  const same = "every instance on one database says the same";
  return {
    help: {
      gatehouse_outbox_events: `Events that wait for the broker, counted up to ${MAX_COUNTED}; ${same}`,
      gatehouse_outbox_oldest_age_seconds: `Age of the oldest event that waits for the broker, 0 when none does; ${same}`,
      gatehouse_outbox_set_aside_events: `Events that the broker refused too often, counted up to ${MAX_COUNTED}; ${same}`,
    },
    async read() {
      const { length, oldest, setAside } = await outboxState(db);
      return { gatehouse_outbox_events: length, gatehouse_outbox_oldest_age_seconds: ageOf(oldest, now()) / 1000, gatehouse_outbox_set_aside_events: setAside };
    },
  };
}

/**
 * Never DOWN: a service whose events wait does its work, and to take it out of its pool would help nobody. It is
 * UNKNOWN, which does not count against the service, while the oldest event has waited for five minutes.
 */
export function outboxHealth(db: Database, now: () => number): HealthCheck {
  return async () => {
    const { length, oldest, setAside } = await outboxState(db);
    const age = ageOf(oldest, now());
    return { status: age < LATE_MS ? "UP" : "UNKNOWN", details: { length, oldestAgeSeconds: Math.floor(age / 1000), setAside } };
  };
}

function ageOf(oldest: number | null, now: number): number {
  return oldest === null ? 0 : Math.max(0, now - oldest);
}
