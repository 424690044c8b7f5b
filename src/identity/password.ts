import * as z from "zod";

/** The rules for people; exactly, as below. */
export const PASSWORD_RULES = "15 to 128 characters: at least one upper-case and one lower-case letter, one digit and one special character";

/**
 * A new password: 15 to 128 characters (code points, after NFC), any that print, with at least one upper-case and one
 * lower-case letter, one digit and one character that is none of these. It is compared whole.
 */
export const NewPassword = z
  .string()
  .normalize("NFC")
  .refine((text) => [...text].length >= 15, "Use at least 15 characters")
  .refine((text) => [...text].length <= 128, "Use at most 128 characters")
  .refine((text) => !/[\p{Cc}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/u.test(text), "Use characters that print")
  .refine((text) => /\p{Lu}/u.test(text), "Use at least one upper-case letter")
  .refine((text) => /\p{Ll}/u.test(text), "Use at least one lower-case letter")
  .refine((text) => /\p{Nd}/u.test(text), "Use at least one digit")
  .refine((text) => /[^\p{L}\p{M}\p{N}\s]/u.test(text), "Use at least one special character");
