import { type Call, callHeaders } from "../http/call.ts";

/** All that a service may learn from the headers of a request; the rest, whatever it claims, ends here. */
const REQUEST_HEADERS = ["accept", "accept-language", "authorization", "content-type", "idempotency-key", "user-agent"] as const;

const RESPONSE_HEADERS: ReadonlySet<string> = new Set([
  "allow",
  "cache-control",
  "content-language",
  "content-type",
  "deprecation",
  "etag",
  "last-modified",
  "link",
  "location",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "sunset",
  "vary",
  "warning",
  "www-authenticate",
]);

/** Set anew on every answer of the gateway, so a service's own need not be taken off first. */
const OVERWRITTEN: ReadonlySet<string> = new Set([
  "content-security-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "origin-agent-cluster",
  "referrer-policy",
  "x-content-type-options",
  "x-dns-prefetch-control",
  "x-download-options",
  "x-frame-options",
  "x-permitted-cross-domain-policies",
  "x-request-id",
  "x-xss-protection",
]);

/** The headers a service is sent: the allowlist, and the call as the gateway began it. */
export function requestHeaders(from: Headers, call: Call, remaining: number): Record<string, string> {
  const headers = callHeaders(call, remaining);
  for (const name of REQUEST_HEADERS) {
    const value = from.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** Whether a client may see this header of a service's answer. */
export function isShown(name: string, value: string): boolean {
  // An absolute or scheme-relative address would name a machine behind the gateway, or lead away from it.
  if (name === "location") return /^\/(?![/\\])/.test(value);
  return RESPONSE_HEADERS.has(name);
}

/** Takes off what a client may not see; only for an answer made in this process, whose headers can be changed. */
export function hideInPlace(headers: Headers): void {
  const hidden = [...headers].filter(([name, value]) => !isShown(name, value) && !OVERWRITTEN.has(name));
  for (const [name] of hidden) headers.delete(name);
}
