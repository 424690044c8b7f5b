import type { Format } from "./representation.ts";

export const TYPES: Record<Format, string> = { xml: "application/xml", json: "application/json" };

export function document(text: string, format: Format, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": TYPES[format], "cache-control": "no-store" } });
}

export function zipped(bytes: Uint8Array<ArrayBuffer>, format: Format): Response {
  const headers = { "content-type": TYPES[format], "content-encoding": "gzip", "cache-control": "no-store" };
  // Workers compress what says that it is compressed, unless told that it is.
  const init: ResponseInit & { encodeBody: "manual" } = { headers, encodeBody: "manual" };
  return new Response(bytes, init);
}

export function empty(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers: { "cache-control": "no-store", ...headers } });
}
