import { beginCall } from "../../src/http/call.ts";
import type { Fetch } from "../../src/http/fetch.ts";

/** What the services of a test stand on: the embedded server, or a real one where the environment names it. */
export type System = {
  /** What the services take for its address. */
  url: string;
  fetch: Fetch;
  close: () => Promise<void>;
};

const LIMIT_MS = 60_000;

export const network: Fetch = (request) => fetch(request);

/** What a test itself asks of a system. */
export function newCall() {
  return beginCall(new Headers(), { now: Date.now(), limit: LIMIT_MS });
}
