import { beginCall, type Call } from "../http/call.ts";
import { describe, type Log } from "../http/log.ts";
import type { Registry } from "./eureka.ts";
import type { Registrant } from "./instance.ts";

export type RegistrationNeeds = {
  registry: Registry;
  instance: Registrant;
  now: () => number;
  log: Log;
};

const BEAT_TIMEOUT_MS = 5000;
const CANCEL_TIMEOUT_MS = 2000;

/** Keeps an instance in the registry: `beat` at its start and every 30 s, not twice at once, `cancel` at its end. Neither throws. */
export function registration({ registry, instance, now, log }: RegistrationNeeds) {
  let since = now();
  let isRegistered = false;
  let isEnding = false;
  let last: "there" | "away" | undefined;
  let running: Promise<void> = Promise.resolve();

  async function beatOnce(): Promise<void> {
    const call = callOf(now(), BEAT_TIMEOUT_MS);
    try {
      const isKnown = isRegistered && (await registry.renew(call, instance, { status: "UP", at: since }));
      if (!isKnown) await registry.register(call, instance, { status: "UP", at: since });
      isRegistered = true;
      if (last !== "there") write("info", last === "away" ? "The registry is back: registered" : "Registered");
      last = "there";
    } catch (cause) {
      if (last !== "away") write("warn", "Cannot register for now", cause);
      last = "away";
    }
  }

  function write(level: "info" | "warn", message: string, cause?: unknown): void {
    log({ level, service: instance.name, message, ...(cause !== undefined && { error: describe(cause) }) });
  }

  return {
    beat(): Promise<void> {
      if (!isEnding) running = beatOnce();
      return running;
    },

    /** Says DOWN, then leaves, as Spring's client does: who has a copy of the registry learns it from either. */
    async cancel(): Promise<void> {
      if (isEnding) return running;
      isEnding = true;
      // A beat that is under way would register again what is being taken off.
      await running;
      if (!isRegistered) return;
      since = now();
      const call = callOf(since, CANCEL_TIMEOUT_MS);
      try {
        await registry.register(call, instance, { status: "DOWN", at: since });
        await registry.cancel(call, instance);
      } catch (cause) {
        write("warn", "Cannot leave the registry: it lets go of the instance when the lease ends", cause);
      }
    },
  };
}

/** The call of a timer, which nobody began. */
function callOf(now: number, limit: number): Call {
  return beginCall(new Headers(), { now, limit });
}
