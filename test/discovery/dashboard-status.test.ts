import { describe, expect, test } from "vitest";
import { instanceVerdict, onDemandVerdict, serviceVerdict, type Verdict } from "../../src/discovery/dashboard/status.ts";
import { ago, duration } from "../../src/discovery/dashboard/text.ts";
import type { Instance } from "../../src/discovery/instances.ts";
import type { Component } from "../../src/discovery/dashboard/probe-health.ts";
import type { Probe } from "../../src/discovery/dashboard/probe.ts";
import { registered, START } from "./dashboard.ts";

const healthy = (status: string, components: Component[] = []): Probe => ({ kind: "health", health: { status, components, more: 0 } });
const silent: Probe = { kind: "silent", reason: "It cannot be reached" };
const untold: Probe = { kind: "untold", reason: "Its health address answers 404" };
const late = { lastRenewedAt: START - 120_000, isOver: true };
const evicted = { ...late, gone: { at: START - 30_000, reason: "evicted" } } as const;
const cancelled = { gone: { at: START - 120_000, reason: "cancelled" } } as const;

const OVERDUE = "Last heartbeat 2 min ago, with a lease of 90 s";

const rows: [what: string, instance: Partial<Instance>, probe: Probe | undefined, expected: Verdict][] = [
  ["registered, beating and healthy", {}, healthy("UP"), { state: "up" }],
  ["not asked", {}, undefined, { state: "up" }],
  ["there, but keeping its health to itself", {}, untold, { state: "up", why: "Its health address answers 404" }],
  ["beating, but not to be reached", {}, silent, { state: "silent", why: "It cannot be reached" }],
  ["evicted", evicted, undefined, { state: "down", why: OVERDUE }],
  ["signed off", cancelled, undefined, { state: "down", why: "Signed off 2 min ago" }],
  ["signed off long after its last heartbeat", { ...cancelled, ...late }, undefined, { state: "down", why: "Signed off 2 min ago" }],
  ["overdue, and not to be reached", late, silent, { state: "down", why: OVERDUE }],
  ["overdue, but healthy", late, healthy("UP"), { state: "down", why: `${OVERDUE}; it still answers` }],
  ["renewed an hour ago, by a clock that jumped", { lastRenewedAt: START - 3_600_000 }, healthy("UP"), { state: "up" }],
  ["renewed in the future, by a clock that jumped", { lastRenewedAt: START + 3_600_000 }, healthy("UP"), { state: "up" }],
  ["overdue, by a clock that jumped since", { lastRenewedAt: START + 3_600_000, isOver: true }, undefined, { state: "down", why: "Last heartbeat just now, with a lease of 90 s" }],
  ["down by its own word", { status: "DOWN" }, healthy("UP"), { state: "down", why: "It says so itself" }],
  ["taken out of service", { status: "OUT_OF_SERVICE", overriddenStatus: "OUT_OF_SERVICE" }, healthy("UP"), { state: "out", why: "Set by an operator" }],
  ["starting", { status: "STARTING" }, silent, { state: "starting", why: "It says so itself" }],
  ["unknown", { status: "UNKNOWN" }, healthy("UP"), { state: "unknown", why: "It says so itself" }],
  ["of failing health", {}, healthy("DOWN", [{ name: "db", status: "UP" }, { name: "disk", status: "DOWN" }, { name: "mail / smtp", status: "DOWN" }]), { state: "ailing", why: "disk, mail / smtp: down" }],
  ["of failing health without components", {}, healthy("DOWN"), { state: "ailing", why: "Its health is down" }],
  ["not ready", {}, healthy("OUT_OF_SERVICE", [{ name: "readinessState", status: "OUT_OF_SERVICE" }]), { state: "out", why: "readinessState: out of service" }],
  ["of a health in words of its own", {}, healthy("QUITE_FINE"), { state: "unknown", why: 'Its health is "quite fine"' }],
];

test.each(rows)("an instance that is %s", (_, changes, probe, expected) => {
  expect(instanceVerdict(registered("USER-SERVICE", changes), { probe, now: START })).toEqual(expected);
});

test("an instance on demand is what asking it comes to, and unknown where there was no time to ask", () => {
  expect(onDemandVerdict(healthy("UP"))).toEqual({ state: "up" });
  expect(onDemandVerdict(silent)).toEqual({ state: "silent", why: "It cannot be reached" });
  expect(onDemandVerdict(undefined)).toEqual({ state: "unknown", why: "There was no time to ask it" });
});

describe("A service", () => {
  const of = (...states: Verdict["state"][]) => states.map((state) => ({ state }));

  test.each<[string, Verdict["state"][], number, number, Verdict["state"]]>([
    ["that nobody registered is absent", [], 0, 0, "absent"],
    ["is up while all its instances are", ["up", "up"], 2, 2, "up"],
    ["is partly up while one is", ["down", "up"], 1, 2, "part"],
    ["is partly up while one is that the page does not show", ["down", "silent"], 7, 9, "part"],
    ["is as its worst instance while none is up", ["starting", "ailing", "silent"], 0, 3, "silent"],
    ["is down before anything else", ["out", "down", "silent"], 0, 3, "down"],
  ])("%s", (_, states, up, total, expected) => {
    expect(serviceVerdict(of(...states), { up, total }).state).toBe(expected);
  });
});

test("times are told in the largest whole unit, and never as negative", () => {
  const spans: [number, string][] = [[0, "0 s"], [999, "0 s"], [59_999, "59 s"], [60_000, "1 min"], [3_599_999, "59 min"], [3_600_000, "1 h"], [86_400_000, "1 day"], [200_000_000, "2 days"], [-5000, "0 s"]];
  for (const [milliseconds, text] of spans) expect(duration(milliseconds)).toBe(text);
  expect([ago(START - 999, START), ago(START - 1000, START), ago(START + 60_000, START)]).toEqual(["just now", "1 s ago", "just now"]);
});
