import { z } from "@hono/zod-openapi";

const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

/** Text of one line; its pattern is given for documents, where the library would write the expression's flags into it. */
export const oneLine = z.string().regex(ONE_LINE, "Must not have control characters").openapi({ pattern: ONE_LINE.source });

/** A line of 1 to `max` characters, without the space around it. */
export function line(max: number) {
  return z
    .string()
    .trim()
    .min(1, "Must not be empty")
    .max(max, `Use at most ${max} characters`)
    .regex(ONE_LINE, "Must not have control characters")
    .openapi({ pattern: ONE_LINE.source });
}
