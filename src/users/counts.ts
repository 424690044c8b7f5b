import type { Metrics } from "../metrics/metrics.ts";
import type { AlignmentStore } from "./alignment-store.ts";
import type { CountLock } from "./lock.ts";

/** What the user service counts beyond its requests. */
export function userCounts(metrics: Metrics, { underway }: AlignmentStore) {
  const locks = metrics.counter("gatehouse_account_locks_total", {
    help: "Locks set: by failed attempts (also on a name that no account has, alike), or by request",
    label: "cause",
  });
  metrics.gauges({
    help: {
      gatehouse_registrations_in_flight: "Registrations begun and not yet finished or given up; every instance says the same",
      gatehouse_alignments_in_flight: "Registered users whose identity is yet to follow a change; every instance says the same",
    },
    async read() {
      const { registrations, alignments } = await underway();
      return { gatehouse_registrations_in_flight: registrations, gatehouse_alignments_in_flight: alignments };
    },
  });
  const countLock: CountLock = (by) => locks.add(by);
  const registrations = metrics.counter("gatehouse_registrations_total", { help: "Registrations by how they ended", label: "outcome" });
  return { countLock, registrations };
}
