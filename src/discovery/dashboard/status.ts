import { ago } from "./text.ts";
import type { Instance } from "../instances.ts";
import type { Probe } from "./probe.ts";

/**
 * How an instance or a service is, worst first; `part`: some of a service's instances are up. A broken neighbour
 * makes an instance `ailing`, not `down`: it is there, beats and answers.
 */
export const STATES = ["down", "silent", "ailing", "out", "absent", "part", "starting", "unknown", "up"] as const;

export type State = (typeof STATES)[number];

export type Verdict = { state: State; why?: string };

type Judged = Pick<Instance, "status" | "overriddenStatus" | "lastRenewedAt" | "leaseSeconds" | "isOver" | "gone">;

const TOLD = { DOWN: "down", OUT_OF_SERVICE: "out", STARTING: "starting", UNKNOWN: "unknown" } as const;

/** How a registered instance is: its lease first, then what it says of itself, then what asking it came to. */
export function instanceVerdict(instance: Judged, { probe, now }: { probe: Probe | undefined; now: number }): Verdict {
  const { gone, isOver, status, overriddenStatus, lastRenewedAt, leaseSeconds } = instance;
  if (gone?.reason === "cancelled") return { state: "down", why: `Signed off ${ago(gone.at, now)}` };
  if (gone || isOver) {
    const heartbeat = `Last heartbeat ${ago(lastRenewedAt, now)}, with a lease of ${leaseSeconds} s`;
    return { state: "down", why: isThere(probe) ? `${heartbeat}; it still answers` : heartbeat };
  }
  if (status === "UP") return probed(probe);
  return { state: TOLD[status], why: overriddenStatus === status ? "Set by an operator" : "It says so itself" };
}

/** How an instance that never registers is, by asking it alone. */
export function onDemandVerdict(probe: Probe | undefined): Verdict {
  return probe ? probed(probe) : { state: "unknown", why: "There was no time to ask it" };
}

/** How a service is of whose instances `up` are up, by the `verdicts` of some; one without any has never registered. */
export function serviceVerdict(verdicts: readonly Verdict[], { up, total }: { up: number; total: number }): Verdict {
  if (total === 0) return { state: "absent" };
  if (up === total) return { state: "up" };
  if (up > 0) return { state: "part" };
  return STATES.flatMap((state) => verdicts.find((verdict) => verdict.state === state) ?? []).at(0) ?? { state: "unknown" };
}

function isThere(probe: Probe | undefined): boolean {
  return probe !== undefined && probe.kind !== "silent";
}

function probed(probe: Probe | undefined): Verdict {
  if (!probe) return { state: "up" };
  if (probe.kind !== "health") return { state: probe.kind === "silent" ? "silent" : "up", why: probe.reason };
  const { status, components } = probe.health;
  if (status === "UP") return { state: "up" };
  const failing = components.filter((component) => component.status === status).map(({ name }) => name);
  const named = failing.length > 0 && `${failing.join(", ")}: ${words(status)}`;
  if (status === "DOWN") return { state: "ailing", why: named || "Its health is down" };
  if (status === "OUT_OF_SERVICE") return { state: "out", why: named || "Its health is out of service" };
  return { state: "unknown", why: `Its health is "${words(status)}"` };
}

/** A status of Actuator as people write it. */
export function words(status: string): string {
  return status.toLowerCase().replaceAll("_", " ");
}
