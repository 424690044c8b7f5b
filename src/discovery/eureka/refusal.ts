import type { Refuse } from "./fields.ts";
import type { Format } from "./representation.ts";
import { xmlOf } from "./xml.ts";

/** What the wire answers to a request it cannot take; thrown. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly type: string;
  readonly body: string | null;

  constructor(status: number, { type = "", body = null }: { type?: string; body?: string | null } = {}) {
    super(`Refused with ${status}`);
    this.status = status;
    this.type = type;
    this.body = body;
  }

  response(): Response {
    const headers = { "cache-control": "no-store", ...(this.body !== null && { "content-type": this.type }) };
    return new Response(this.body, { status: this.status, headers });
  }
}

/** Netflix's form of an error. */
export function failure(status: number, message: string, format: Format = "json"): Refusal {
  if (format === "xml") return new Refusal(status, { type: "application/xml", body: xmlOf({ error: { message } }) });
  return new Refusal(status, { type: "application/json", body: JSON.stringify({ error: message }) });
}

/** How a registration in `format` is refused. */
export function refusing(format: Format): Refuse {
  const sentence = (text: string) => new Refusal(400, { type: "text/plain; charset=utf-8", body: text });
  return {
    sentence,
    missing: (what) => sentence(`Missing ${what}`),
    unreadable: () => failure(400, "cannot parse request body", format),
    field: (name) => failure(400, `the field "${name}" is too long, not printable or cannot be addressed`, format),
  };
}
