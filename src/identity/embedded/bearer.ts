import type { Context } from "hono";

/** The bearer token of the request (RFC 6750, section 2.1). */
export function bearerOf(c: Context): string | undefined {
  return /^Bearer +([^\s]+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
}
