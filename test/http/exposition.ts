import { expect } from "vitest";
import { testPlatform, type Wires } from "../platform.ts";

export type Sample = { name: string; labels: Record<string, string>; value: number };

type Asker = { request: (path: string, init?: { service?: "users" | "auth"; headers?: Record<string, string> }) => Response | Promise<Response> };

export const OPEN = "application/openmetrics-text";

export type MeasuredPlatform = Awaited<ReturnType<typeof measuredPlatform>>;

/** A platform; `open` makes instances whose metrics nobody needs a token for. */
export async function measuredPlatform() {
  const platform = await testPlatform();
  const open = (wires: Wires = {}, settings: Record<string, string> = {}) => platform.instance(wires, { LOOPBACK: "on", ...settings });
  return { ...platform, open };
}

/** What a service's metrics say; fails unless every line is one that Prometheus reads. */
export async function samplesOf({ request }: Asker, { service = "users", query = "", accept = "text/plain" }: { service?: "users" | "auth"; query?: string; accept?: string } = {}): Promise<Sample[]> {
  const answer = await request(`/actuator/prometheus${query}`, { service, headers: { accept } });
  const text = await answer.text();
  expect({ status: answer.status, text: answer.status === 200 ? "" : text }).toEqual({ status: 200, text: "" });
  if (accept === OPEN) expect(text.endsWith("\n# EOF\n")).toBe(true);
  return text.split("\n").flatMap((line) => (line === "" || /^# (HELP|TYPE) [a-z_]+ .+$/.test(line) || line === "# EOF" ? [] : [sample(line)]));
}

function sample(line: string): Sample {
  const [, name, labels = "", value] = /^([a-z_]+)(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(line) ?? expect.fail(`Not a sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/g)];
  expect(pairs.map(([pair]) => pair).join("")).toBe(labels);
  return { name: name!, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value: Number(value) };
}

/** The value of the one sample of `name` that has these labels among its own; undefined when there is none. */
export function valueOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const found = samples.filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value));
  expect(found.length).toBeLessThanOrEqual(1);
  return found[0]?.value;
}
