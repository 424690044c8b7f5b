import * as z from "zod";
import { PASSWORD_LENGTH } from "./password-length.ts";

const { minLength, maxLength } = PASSWORD_LENGTH;

/** The rules for people; exactly, as below. */
export const PASSWORD_RULES = `${minLength} to ${maxLength} characters: at least one upper-case and one lower-case letter, one digit and one special character`;

/**
 * A new password: so many characters after NFC, any that print, with at least one upper-case and one
 * lower-case letter, one digit and one character that is none of these. It is compared whole.
 */
export const NewPassword = z
  .string()
  .normalize("NFC")
  .refine((text) => [...text].length >= minLength, `Use at least ${minLength} characters`)
  .refine((text) => [...text].length <= maxLength, `Use at most ${maxLength} characters`)
  .refine((text) => !/[\p{Cc}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/u.test(text), "Use characters that print")
  .refine((text) => /\p{Lu}/u.test(text), "Use at least one upper-case letter")
  .refine((text) => /\p{Ll}/u.test(text), "Use at least one lower-case letter")
  .refine((text) => /\p{Nd}/u.test(text), "Use at least one digit")
  .refine((text) => /[^\p{L}\p{M}\p{N}\s]/u.test(text), "Use at least one special character");
