import type { Fetch } from "../../src/http/fetch.ts";

/** What the services of a test stand on: the embedded server, or a real one where the environment names it. */
export type System = {
  /** What the services take for its address. */
  url: string;
  fetch: Fetch;
  close: () => Promise<void>;
};

export const network: Fetch = (request) => fetch(request);
