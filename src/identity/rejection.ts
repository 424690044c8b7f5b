import { Problem } from "../http/problem.ts";

/** The problem of a field that the identity provider's own rules refuse; its text stays there. */
export function rejection(field: string): Problem {
  return new Problem("VALIDATION_FAILED_400", "The identity provider's rules refuse a field", {
    errors: [{ path: field, message: "Refused by the rules of the identity provider" }],
  });
}
