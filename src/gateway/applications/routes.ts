import type { Context, Hono } from "hono";
import type { ShellEnv } from "../../http/shell.ts";
import { targetOf } from "../routing.ts";
import type { Application } from "./application.ts";

type On = {
  source: (c: Context) => string | undefined;
  /** The gateway's address as people reach it; else that of the request. */
  origin?: string;
};

/** Leads below the prefix of each application to its instances; its own routes and closed paths stay the gateway's. */
export function routeApplications(app: Hono<ShellEnv>, applications: readonly Application[], on: On): void {
  for (const { prefix, isOpen, forward, document } of applications) {
    app.get(`${prefix}/v3/api-docs`, async (c) => {
      const shown = await document(c.get("call"));
      return shown ? c.json(shown) : c.notFound();
    });
    app.all(`${prefix}/*`, (c) => {
      if (!isOpen(c.req.path)) return c.notFound();
      return forward(c.req.raw, { target: targetOf(c.req.raw.url), call: c.get("call"), headers: forwardedHeaders(c, on) });
    });
  }
}

/** How the gateway was asked, by which an application writes its links; what a client claims of it has ended here. */
function forwardedHeaders(c: Context, { source, origin }: On): Record<string, string> {
  const { host, protocol } = new URL(origin ?? c.req.url);
  const address = source(c);
  return { "x-forwarded-host": host, "x-forwarded-proto": protocol.slice(0, -1), ...(address && { "x-forwarded-for": address }) };
}
