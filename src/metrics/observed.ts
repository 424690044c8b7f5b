import type { Fetch } from "../http/fetch.ts";

/** How a request ended: by an answer (`none`), by a failure, or given up (`aborted`) because its time or its caller was gone. */
type Ended = { status?: number; error: "none" | "failed" | "aborted"; milliseconds: number };

/** `fetch`, which tells how each request ended, once. */
export function observed(fetch: Fetch, { now, onEnd }: { now: () => number; onEnd: (method: string, ended: Ended) => void }): Fetch {
  return async (request) => {
    const { method, signal } = request;
    const began = now();
    let isOver = false;
    const end = (how: Omit<Ended, "milliseconds">) => {
      if (!isOver) onEnd(method, { ...how, milliseconds: now() - began });
      isOver = true;
    };
    // What is given up may never settle.
    const giveUp = () => end({ error: "aborted" });
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      const response = await fetch(request);
      end({ status: response.status, error: "none" });
      return response;
    } catch (error) {
      end({ error: signal.aborted ? "aborted" : "failed" });
      throw error;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  };
}
