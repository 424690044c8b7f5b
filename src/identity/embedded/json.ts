import type { Context } from "hono";
import type * as z from "zod";
import { readBounded } from "../../http/bounded.ts";
import { oauthError, Refusal, unforeseen } from "./refusal.ts";

const MAX_JSON_BYTES = 256 * 1024;

/** A JSON body as Keycloak reads it: unknown fields are refused by name, then what does not fit `schema`. */
export async function readJson<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
  representation?: { name: string; fields: ReadonlySet<string> },
): Promise<z.output<Schema>> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header("content-type") ?? "")) {
    throw new Refusal(415, { error: "The content-type header value did not match the value in @Consumes" });
  }
  const bytes = await readBounded(c.req.raw.body, MAX_JSON_BYTES);
  if (!bytes) throw new Refusal(413, { error: "invalid_request", error_description: "Request body too large" });
  if (bytes.byteLength === 0) throw unforeseen();
  const body = parse(new TextDecoder().decode(bytes));
  if (representation) refuseUnknown(body, representation);
  const { data, success } = schema.safeParse(body);
  if (!success) throw oauthError(400, "unknown_error", "Cannot parse the JSON");
  return data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, (_, value: unknown) => {
      if (typeof value === "string" && value.includes("\0")) throw new SyntaxError("Cannot store NUL");
      return value;
    });
  } catch {
    throw oauthError(400, "invalid_request", "Cannot parse the JSON");
  }
}

function refuseUnknown(body: unknown, { name, fields }: { name: string; fields: ReadonlySet<string> }): void {
  if (typeof body !== "object" || body === null) return;
  const unknown = Object.keys(body).find((field) => !fields.has(field));
  if (unknown === undefined) return;
  throw new Refusal(400, { error: `Invalid json representation for ${name}. Unrecognized field "${unknown}".` });
}
