import { setTimeout as pause } from "node:timers/promises";
import type { Wire } from "../platform.ts";
import type { AdminWires, System } from "./instance.ts";

/** A call of one operation to a system outside. */
export type Step = { system: System; /** 1 for the first of its kind. */ nth: number; matches: (request: Request) => boolean };

export type Fault = Wire | "killed before" | "killed after";

export const never = new Promise<never>(() => {});

/** What can happen to one call. */
export const FAULTS: Record<string, Fault> = {
  "answered with 503": () => new Response("Service Unavailable", { status: 503, headers: { "retry-after": "1" } }),
  "answered with 500": () => Response.json({ error: "unknown_error" }, { status: 500 }),
  "answered with HTML": () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } }),
  "lost before": () => Promise.reject(new TypeError("fetch failed")),
  "lost after": async (request, pass) => {
    await pass(request);
    throw new TypeError("fetch failed");
  },
  "cut off after": async (request, pass) => {
    const whole = await pass(request);
    const text = await whole.text();
    return new Response(text.slice(0, text.length / 2), { status: whole.status === 204 ? 200 : whole.status });
  },
  "slow, done in the end": async (request, pass) => {
    const copy = request.clone();
    await pause(3500);
    await pass(new Request(copy, { signal: null }));
    return never;
  },
  "killed before": "killed before",
  "killed after": "killed after",
};

/** Wires on which `fault` befalls `step`; after a kill, which `onDeath` hears of, nothing of the process is heard of any more. */
export function faultAt(step: Step, fault: Fault, onDeath = () => {}): AdminWires {
  let count = 0;
  let isDead = false;
  const wire = (system: System): Wire => async (request, pass) => {
    if (isDead) return never;
    if (system !== step.system || !step.matches(request)) return pass(request);
    count += 1;
    if (count !== step.nth) return pass(request);
    if (typeof fault === "function") return fault(request, pass);
    if (fault === "killed after") await pass(request);
    isDead = true;
    onDeath();
    return never;
  };
  return { identity: wire("identity"), secrets: wire("secrets"), broker: wire("broker"), database: wire("database") };
}
