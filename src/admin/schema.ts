import { z } from "@hono/zod-openapi";

/** What stands in a path of the identity provider or the secrets store; all else is refused before a URL is built. */
export const Name = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, "Use 1 to 63 lower-case letters, digits and hyphens, a hyphen neither first nor last");

export const Service = z.object({ service: Name.openapi({ example: "order-service" }) });

/** Where a page ends; says nothing to whoever gets it. */
function cursorOf(place: number): string {
  return btoa(String(place)).replaceAll("=", "");
}

function placeIn(cursor: string): number | undefined {
  try {
    const text = atob(cursor);
    return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

export const Cursor = z
  .string()
  .transform((text, context) => {
    const place = placeIn(text);
    if (place !== undefined) return place;
    context.addIssue({ code: "custom", message: "Use `next` of an answer" });
    return z.NEVER;
  })
  .optional()
  .openapi({ type: "string", description: "`next` of the page before", example: cursorOf(51) });

export const Next = z.string().nullable().openapi({ description: "The `cursor` of the next page; null on the last", example: null });

/** How long a page is. */
export function limit(max: number, usual: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, "Use a whole number")
    .transform(Number)
    .pipe(z.int().min(1, "Use at least 1").max(max, `Use at most ${max}`))
    .default(usual)
    .openapi({ type: "integer", minimum: 1, maximum: max, default: usual, example: usual });
}

/** The page of `rows`, which are one more than `limit` where another page follows. */
export function pageOf<Row>(rows: Row[], { limit, placeOf }: { limit: number; placeOf: (row: Row) => number }): { page: Row[]; next: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last !== undefined ? cursorOf(placeOf(last)) : null };
}

export const VaultResponse = z
  .object({
    responseCode: z.enum([
      "VAULT_APPROLE_DELETED_200",
      "VAULT_SECRET_CREATED_200",
      "VAULT_SECRET_UPDATED_200",
      "VAULT_SECRET_DELETED_200",
      "VAULT_POLICY_CREATED_200",
      "VAULT_POLICY_DELETED_200",
    ]),
    responseMessage: z.string().openapi({ example: "Secrets written" }),
  })
  .openapi("VaultResponseDto");

