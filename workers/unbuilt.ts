import { unauthenticated } from "../src/http/bearer.ts";
import type { Fetch } from "../src/http/fetch.ts";
import type { Log } from "../src/http/log.ts";
import { shell } from "../src/http/shell.ts";

type UnbuiltNeeds = { name: string; log: Log; now: () => number; documentationScript: Fetch };

const TIMEOUT_MS = 8000;

/** Depends on nothing outside: a configuration server that is away is no reason to restart what reads it. */
export const LIVENESS = "/actuator/health/liveness";

/** What answers in the place of a service that cannot be built for now: that it is alive, and to all else `cause`, as a problem. */
export function unbuilt(needs: UnbuiltNeeds): (request: Request, cause?: unknown) => Response | Promise<Response> {
  const { app } = shell({
    ...needs,
    title: needs.name,
    description: "Not started yet",
    verify: () => Promise.reject(unauthenticated("Nobody is known here yet")),
    health: {},
    timeout: TIMEOUT_MS,
    guard: (c, next) => (c.req.path === LIVENESS ? next() : Promise.reject((c.env as { cause: unknown }).cause)),
  });
  return (request, cause) => app.fetch(request, { cause });
}
