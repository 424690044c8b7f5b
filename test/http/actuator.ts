import type { HealthCheck } from "../../src/http/health.ts";
import { shell, type ShellNeeds } from "../../src/http/shell.ts";

/** A service that stands on `health` and has nothing but what every service has. */
export function actuator(health: Record<string, HealthCheck> = {}, overrides: Partial<ShellNeeds> = {}) {
  const needs = {
    name: "probe",
    title: "Probe",
    description: "What is asked",
    now: Date.now,
    log: () => {},
    verify: () => Promise.reject(new Error("Nobody is verified here")),
    documentationScript: () => new Response(null, { status: 404 }),
    timeout: 8000,
    metricsAccess: { isLoopback: true },
  };
  return shell({ ...needs, health, ...overrides }).app;
}
