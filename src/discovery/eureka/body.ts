import { readBounded } from "../../http/bounded.ts";
import { failure, refusing } from "./refusal.ts";
import type { Format } from "./representation.ts";
import { instanceInXml } from "./xml.ts";

const MAX_BODY_BYTES = 64 * 1024;

/** The body of a registration, and what it was sent as; a `Content-Encoding` is not looked at, as Netflix's server does not. */
export async function registrationBody(request: Request): Promise<{ body: unknown; sent: Format }> {
  const sent = formatSent(request.headers.get("content-type") ?? "");
  const bytes = await readBounded(request.body, MAX_BODY_BYTES);
  if (!bytes) throw failure(413, `the body has more than ${MAX_BODY_BYTES} bytes`, sent);
  const body = parsed(bytes, sent);
  if (body === undefined) throw refusing(sent).unreadable();
  return { body, sent };
}

function formatSent(type: string): Format {
  const [, found] = /^application\/(json|xml)\s*(?:;|$)/i.exec(type) ?? [];
  if (found === undefined) throw failure(415, "send the instance as application/json or application/xml");
  return found.toLowerCase() as Format;
}

function parsed(bytes: Uint8Array, format: Format): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return format === "json" ? JSON.parse(text) : instanceInXml(text);
  } catch {
    return undefined;
  }
}
