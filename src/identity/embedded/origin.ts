import type { Context } from "hono";
import { Refusal } from "./refusal.ts";

/** The CORS headers for the request's origin, if it has one; throws for one that is not among `allowed`. */
export function allowOrigin(c: Context, allowed: string[]): Record<string, string> {
  const origin = c.req.header("origin");
  if (origin === undefined) return {};
  if (!allowed.includes(origin) && !allowed.includes("*")) throw new Refusal(403, { error: "Invalid origin" });
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": "Access-Control-Allow-Methods",
  };
}
