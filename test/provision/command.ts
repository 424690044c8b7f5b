import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { expect } from "vitest";
import { type Moment, type Ran, runToEnd, type Settings, worker } from "../command.ts";

export function provision(settings: Settings, ...flags: string[]): Promise<Ran> {
  return runToEnd(worker("provision", ...flags), settings);
}

/** Runs it until it dies, as in a power cut: right after its first write was done, or right before its second. */
export function killed(settings: Settings, when: "after" | "before"): Promise<Ran> {
  const dies: Moment = when === "after" ? "after:1" : "before:2";
  return runToEnd(worker("provision", "--yes"), settings, { dies });
}

export function isDone({ code, output }: Ran): void {
  expect(code, output).toBe(0);
}

export function nothingToDo({ code, output }: Ran): void {
  expect({ code, isNothing: output.startsWith("Nothing to do.") }, output).toEqual({ code: 0, isNothing: true });
}

/** What every run keeps, for all instances. */
export const SHARED = { LOGIN_GUARD_KEY: expect.any(String), WEBHOOK_KEY: expect.any(String), DISCOVERY_PASSWORD: expect.any(String), CONFIG_PASSWORD: expect.any(String) } as const;

/** What the settings file has. */
export function keptIn(path: string): Record<string, string> {
  return parseEnv(readFileSync(path, "utf8")) as Record<string, string>;
}

/** The changes that the plan has, as it shows them. */
export function changesIn({ output }: Ran): string[] {
  return [...output.matchAll(/^ +\d+\. (?!done$)(.+)$/gm)].map(([, change = ""]) => change);
}
