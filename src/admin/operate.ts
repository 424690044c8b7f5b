import type { RouteHandler } from "@hono/zod-openapi";
import { Problem } from "../http/problem.ts";
import type { Route } from "../http/route.ts";
import type { ShellEnv } from "../http/shell.ts";
import type { Audit } from "./audit.ts";

type Handler<R extends Route> = RouteHandler<R, ShellEnv>;

type Operation<R extends Route> = {
  /** What the call is about, for its audit: a name or an id, never a value. */
  about: (c: Parameters<Handler<R>>[0]) => string;
  /** Whether it changes something outside; by default, unless it is a GET. */
  isChange?: boolean;
  run: Handler<R>;
};

/** Mounts an audited operation. */
export type Operate = <R extends Route>(route: R, operation: Operation<R>) => void;

export function operations(on: <R extends Route>(route: R, handler: Handler<R>) => void, audit: Audit): Operate {
  return (route, { about, run, isChange = route.method !== "get" }) => {
    const audited = async (...[c, next]: Parameters<typeof run>) => {
      // A HEAD is routed as a GET, and nobody who sends one means to change anything.
      if (isChange && c.req.method === "HEAD") throw new Problem("METHOD_NOT_ALLOWED_405", "Use GET", { headers: { allow: "GET" } });
      await audit.begin(c, { route, resource: about(c), isChange });
      return run(c, next);
    };
    on(route, audited as unknown as typeof run);
  };
}
