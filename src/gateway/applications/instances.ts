import type { Call } from "../../http/call.ts";
import { describe, type Log } from "../../http/log.ts";
import type { Registry } from "../../registry/eureka.ts";
import type { Registered } from "../../registry/instance.ts";

export type InstancesNeeds = {
  registry: Registry;
  now: () => number;
  log: Log;
  /** Whether requests that wait at once share one question to the registry. Not on Workers, where what one request began may not be waited for by another. */
  sharesPending: boolean;
};

/** The instances of an application, in any state. Throws a Problem when they cannot be known. */
export type Instances = (call: Call, application: string) => Promise<Registered[]>;

type Known = { askedAt: number; failure?: unknown; readAt: number; instances: Registered[] };

/** How often the registry is asked; an instance that has gone is seen to be gone so much later. */
const FRESH_MS = 5000;
/** What was read is used so long while the registry is away: instances seldom all move in a few minutes. */
const STALE_MS = 300_000;

/** Keeps what the registry said of the few applications that are asked for. */
export function knownInstances({ registry, now, log, sharesPending }: InstancesNeeds): Instances {
  const known = new Map<string, Known>();
  const pending = new Map<string, Promise<Known>>();
  let isAway = false;

  async function read(call: Call, application: string): Promise<Known> {
    const askedAt = now();
    const before = known.get(application) ?? { readAt: -Infinity, instances: [] };
    const after = await registry.instances(call, application).then(
      (instances) => ({ askedAt, readAt: askedAt, instances }),
      (failure: unknown) => ({ ...before, askedAt: now(), failure }),
    );
    known.set(application, after);
    noteAbsence("failure" in after ? after.failure : undefined);
    return after;
  }

  function readOnce(call: Call, application: string): Promise<Known> {
    const reading = pending.get(application) ?? read(call, application).finally(() => pending.delete(application));
    pending.set(application, reading);
    return reading;
  }

  function noteAbsence(failure: unknown): void {
    const wasAway = isAway;
    isAway = failure !== undefined;
    if (isAway === wasAway) return;
    const message = isAway ? "The registry is not available: what is known of it is used for some minutes" : "The registry is available again";
    log({ level: isAway ? "warn" : "info", service: "gateway", message, ...(isAway && { error: describe(failure) }) });
  }

  return async (call, application) => {
    const held = known.get(application);
    const isFresh = held !== undefined && isWithin(FRESH_MS, held.askedAt, now());
    const { failure, readAt, instances } = isFresh ? held : await (sharesPending ? readOnce : read)(call, application);
    if (failure !== undefined && !isWithin(STALE_MS, readAt, now())) throw failure;
    return instances;
  };
}

/** A clock that was set back makes nothing fresh. */
function isWithin(period: number, from: number, now: number): boolean {
  return from <= now && now - from < period;
}
