import type { Metric } from "prom-client";
import type { Fetch } from "../http/fetch.ts";
import { problemIn } from "../http/problem.ts";
import { within } from "../http/within.ts";
import { observed } from "./observed.ts";
import { Counter, Gauge, Histogram } from "./prom-client.ts";

/** Gauges that are read together; a value that cannot be had is left out. */
export type Reading<N extends string> = {
  /** Name → what it says. */
  help: Record<N, string>;
  read: () => Promise<Record<N, number>>;
};

/** A request answered: `route` is the pattern it matched, undefined when there is none. */
export type Answered = { method: string; route: string | undefined; status: number; milliseconds: number };

export type Metrics = ReturnType<typeof serviceMetrics>;

const READ_TIMEOUT_MS = 1000;
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * What one instance of a service counts, in the names that Micrometer gives where it has one. No label carries what a
 * caller sent, so that no caller makes series. On Workers each isolate counts for itself and from nothing, and its clock
 * stands still between two exchanges: there, sums and rates are of the isolate that happens to answer.
 */
export function serviceMetrics({ service, version, now }: { service: string; version: string; now: () => number }) {
  const registers: [] = [];
  const began = now();
  const requests = new Histogram({
    name: "http_server_requests_seconds",
    help: "Requests answered, until the answer began",
    labelNames: ["method", "uri", "status", "outcome"],
    buckets: BUCKETS,
    registers,
  });
  const calls = new Histogram({
    name: "http_client_requests_seconds",
    help: "Requests sent to the systems behind the service, until their answer began",
    labelNames: ["client_name", "method", "status", "outcome", "error"],
    buckets: BUCKETS,
    registers,
  });
  const build = gauge("gatehouse_build_info", { help: "What runs here", labels: { service, version }, value: 1 });
  const start = gauge("process_start_time_seconds", { help: "When this instance began, since the epoch", value: began / 1000 });
  const kept: Metric[] = [requests, calls, build, start];
  const readings: Reading<string>[] = [];
  // As many as there are series: putting labels together anew would cost as much as counting.
  const known = new Map<string, Record<"method" | "uri" | "status" | "outcome", string>>();

  return {
    request({ method, route, status, milliseconds }: Answered): void {
      const key = `${METHODS.has(method) ? method : ""} ${status} ${route}`;
      let labels = known.get(key);
      if (!labels) {
        labels = { method: methodOf(method), uri: uriOf(route, status), status: String(status), outcome: outcomeOf(status) };
        known.set(key, labels);
      }
      requests.observe(labels, milliseconds / 1000);
    },

    /** `fetch`, counted under the name of the system that it leads to. */
    observed: (client: string, fetch: Fetch): Fetch =>
      observed(fetch, {
        now,
        onEnd: (method, { status, error, milliseconds }) => {
          const outcome = status === undefined ? "UNKNOWN" : outcomeOf(status);
          const labels = { client_name: client, method: methodOf(method), status: status ?? "IO_ERROR", outcome, error };
          calls.observe(labels, milliseconds / 1000);
        },
      }),

    /** A counter by one label, whose values are the service's own words. */
    counter<L extends string>(name: `${string}_total`, { help, label }: { help: string; label: L }) {
      const counter = new Counter({ name, help, labelNames: [label], registers });
      kept.push(counter);
      const add = (value: string): void => counter.inc({ [label]: value } as Record<L, string>);
      return {
        add,
        /** Counts how `work` ends: `SUCCESS`, or the code of its problem. */
        async around<T>(work: Promise<T>): Promise<T> {
          return work.then(
            (result) => (add("SUCCESS"), result),
            (error: unknown) => {
              add(problemIn(error)?.code ?? "INTERNAL_ERROR_500");
              throw error;
            },
          );
        },
      };
    },

    /** Read anew each time that somebody looks. */
    gauges<N extends string>(reading: Reading<N>): void {
      readings.push(reading);
    },

    /** All there is, as it is now. */
    async all(): Promise<Metric[]> {
      const read = await Promise.all(readings.map((reading) => gaugesOf(reading)));
      const uptime = gauge("process_uptime_seconds", { help: "For how long this instance has been there", value: (now() - began) / 1000 });
      return [...kept, uptime, ...read.flat()];
    },
  };
}

async function gaugesOf({ help, read }: Reading<string>): Promise<Metric[]> {
  try {
    const values = await within(READ_TIMEOUT_MS, read());
    return Object.entries(values).map(([name, value]) => gauge(name, { help: help[name] ?? name, value }));
  } catch {
    return [];
  }
}

function gauge(name: string, { help, labels = {}, value }: { help: string; labels?: Record<string, string>; value: number }): Metric {
  const made = new Gauge({ name, help, labelNames: Object.keys(labels), registers: [] });
  made.set(labels, value);
  return made;
}

/** The pattern as Spring writes it. */
function uriOf(route: string | undefined, status: number): string {
  if (route === undefined) return status === 404 ? "NOT_FOUND" : "UNKNOWN";
  return route.replaceAll(/:(\w+)/g, "{$1}").replace(/\/\*$/, "/**");
}

function methodOf(method: string): string {
  return METHODS.has(method) ? method : "UNKNOWN";
}

function outcomeOf(status: number): string {
  return ["INFORMATIONAL", "SUCCESS", "REDIRECTION", "CLIENT_ERROR", "SERVER_ERROR"][Math.floor(status / 100) - 1] ?? "UNKNOWN";
}
