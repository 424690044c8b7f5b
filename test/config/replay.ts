import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { problemOf } from "../http/problem.ts";
import type { ConfigInstance } from "./instance.ts";

/** One exchange with the original; what it answered errors with is left out, since ours are problems. */
export type Recorded = {
  backend?: "native" | "git";
  request: { method: string; path: string; headers?: Record<string, string>; body?: string };
  response: { status: number; type?: string; body?: unknown };
};

/** What an answer is compared by. */
export type Outcome = { status: number; type?: string | undefined; code?: string; fields?: string[]; body?: string };

export function recorded(file: string): Recorded[] {
  const lines = readFileSync(new URL(`transcripts/${file}`, import.meta.url), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Recorded);
}

/** As documents of this folder name it: `GET /accept-client/dev`. */
export function nameOf({ request: { method, path, headers = {} } }: Recorded): string {
  const { accept } = headers;
  return `${method} ${path}${accept === undefined || accept === "application/json" ? "" : ` as ${accept}`}`;
}

export function recordedOutcome({ response: { status, type, body = "" } }: Recorded): Outcome {
  if (status >= 400) return { status };
  return { status, type: essence(type ?? null), body: typeof body === "string" ? body : JSON.stringify(body) };
}

/** What ours answers, with the names that the transcripts have for what differs between machines. */
export async function outcomeOf({ call }: ConfigInstance, { request }: Recorded, names: Readonly<Record<string, string>>): Promise<Outcome> {
  const response = await call(request.path, request);
  if (response.status >= 400) return problemOf(response);
  expect(response.headers.get("cache-control")).toBe(request.method === "OPTIONS" ? null : "no-store");
  const text = Object.entries(names).reduce((rest, [from, to]) => rest.replaceAll(from, to), await response.text());
  return { status: response.status, type: essence(response.headers.get("content-type")), body: text };
}

function essence(type: string | null): string | undefined {
  return type?.split(";")[0];
}
