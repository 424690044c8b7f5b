import { Refusal } from "../refusal.ts";
import type { User } from "./user.ts";

type FieldError = { field: string; errorMessage: string; params: (string | number | null)[] };

export type Profile = Pick<User, "username" | "email" | "firstName" | "lastName">;

// The rules of Keycloak's default user profile, found by asking it.
const FORBIDDEN_IN_NAME = /[<>&"$%!#?§;*~/\\|^=[\]{}()\p{Cc}]/u;
const FORBIDDEN_IN_USERNAME = /[<>&"'$%!#?§;*~/\\|^=[\]{}()\p{Cc}\s]/u;
/** Against look-alikes from other scripts. */
const LATIN = /^[\p{Script=Latin}\p{Script=Common}]+$/u;
const ATOM = String.raw`[^\s()<>@,;:\\".[\]\p{Cc}]+`;
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?`;
const EMAIL = new RegExp(String.raw`^(?:${ATOM}(?:\.${ATOM})*|"[^"\\\p{Cc}]+")@${LABEL}(?:\.${LABEL})*$`, "u");
const MAX_LENGTH = 255;

/** Throws Keycloak's answer for a profile with fields that are not acceptable: all of them at once. */
export function checkProfile(profile: Profile): void {
  const errors = [
    ...nameErrors("firstName", profile.firstName),
    ...nameErrors("lastName", profile.lastName),
    ...emailErrors(profile.email),
    ...usernameErrors(profile.username),
  ];
  if (errors.length > 0) throw new Refusal(400, errors.length === 1 ? errors[0] : { errors });
}

export function readOnly(field: string): Refusal {
  return new Refusal(400, { field, errorMessage: "error-user-attribute-read-only", params: [field] });
}

function usernameErrors(username: string): FieldError[] {
  const errors: FieldError[] = [];
  if (username.length < 3 || username.length > MAX_LENGTH) {
    errors.push({ field: "username", errorMessage: "error-invalid-length", params: ["username", 3, MAX_LENGTH] });
  }
  if (FORBIDDEN_IN_USERNAME.test(username) || !LATIN.test(username)) {
    errors.push({ field: "username", errorMessage: "error-username-invalid-character", params: ["username"] });
  }
  return errors;
}

function emailErrors(email: string | null): FieldError[] {
  if (!email) return [];
  const [local = ""] = email.split("@");
  return [
    ...tooLong("email", email),
    ...(EMAIL.test(email) && local.length <= 64 && email.length <= MAX_LENGTH
      ? []
      : [{ field: "email", errorMessage: "error-invalid-email", params: ["email", email] }]),
  ];
}

function nameErrors(field: "firstName" | "lastName", name: string | null): FieldError[] {
  if (!name) return [];
  return [
    ...tooLong(field, name),
    ...(FORBIDDEN_IN_NAME.test(name) ? [{ field, errorMessage: "error-person-name-invalid-character", params: [field] }] : []),
  ];
}

function tooLong(field: string, text: string): FieldError[] {
  return text.length > MAX_LENGTH ? [{ field, errorMessage: "error-invalid-length-too-long", params: [field, null, MAX_LENGTH] }] : [];
}
