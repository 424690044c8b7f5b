import * as z from "zod";
import { type Answer, jsonOf, shaped } from "../http/upstream.ts";

/** As people call it in problems and logs. */
export const STORE = "secrets store";

const KeysSchema = z.object({ data: z.object({ keys: z.array(z.string()) }) });

export function keysIn(answer: Answer): string[] {
  return shaped(STORE, answer, KeysSchema).data.keys;
}

/** What the server says went wrong: to judge by, never to pass on. */
export function errorsOf(answer: Answer): string[] {
  const body = jsonOf(answer.text) as { errors?: unknown } | null | undefined;
  return Array.isArray(body?.errors) ? body.errors.filter((error) => typeof error === "string") : [];
}

export function isDone({ status }: Answer): boolean {
  return status === 200 || status === 204;
}

/** Whether there is nothing at the path; a route the server does not have is 404 too, with an error that says so. */
export function isNothing(answer: Answer): boolean {
  if (answer.status !== 404) return false;
  const body = jsonOf(answer.text) as { errors?: unknown; data?: unknown } | null | undefined;
  return (Array.isArray(body?.errors) && body.errors.length === 0) || (typeof body?.data === "object" && body.data !== null);
}
