import type { Context } from "hono";
import { readBounded } from "../../http/bounded.ts";
import { badRequest, Refusal } from "./refusal.ts";

const MAX_FORM_BYTES = 64 * 1024;
/** Keycloak drops a parameter that is longer, as if it had not been sent. */
const MAX_PARAMETER_LENGTH = 4000;

/** The parameters of a form body; one of another media type has none. */
export async function readForm(c: Context): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header("content-type") ?? "")) return new URLSearchParams();
  const bytes = await readBounded(c.req.raw.body, MAX_FORM_BYTES);
  if (!bytes) throw new Refusal(413, { error: "invalid_request", error_description: "Request body too large" });
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/** RFC 6749, section 3.2: parameters must not be included more than once. */
export function refuseDuplicates(form: URLSearchParams): void {
  if (new Set(form.keys()).size !== form.size) throw badRequest("duplicated parameter");
}

/** A parameter that is a token. */
export function tokenParameter(form: URLSearchParams, name: string): string | undefined {
  const value = form.get(name) ?? undefined;
  return value !== undefined && value.length > MAX_PARAMETER_LENGTH ? undefined : value;
}
