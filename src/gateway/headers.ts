import type { Terms } from "./terms.ts";

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

/** What of the headers of a request is sent on; the rest, whatever it claims, ends here. */
export function sentHeaders(from: Headers, { sent }: Terms): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of sent) {
    const value = from.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** Takes off what a client may not see; only for an answer made in this process, whose headers can be changed. */
export function hideInPlace(headers: Headers, { isShown }: Terms): void {
  const hidden = [...headers].filter(([name, value]) => !isShown(name, value) && !OVERWRITTEN.has(name));
  for (const [name] of hidden) headers.delete(name);
}
