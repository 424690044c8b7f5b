import { z } from "@hono/zod-openapi";
import { line } from "../http/line.ts";
import { PASSWORD_LENGTH } from "../identity/password-length.ts";
import { NewPassword, PASSWORD_RULES } from "../identity/password.ts";

export const Credentials = z
  .object({
    username: line(320).openapi({ description: "The user id or the e-mail", example: "asha.rao@example.com" }),
    password: z
      .string()
      .min(1, "Must not be empty")
      .max(512, "Use at most 512 characters")
      .openapi({ description: "Compared whole, case counts", example: "Correct-Horse-7-Battery", format: "password" }),
  })
  .openapi("Credentials");

/** Keycloak reads no form parameter that is longer. */
const MAX_PARAMETER_LENGTH = 4000;

export const RefreshToken = z
  .object({
    refresh_token: z
      .string()
      .min(1, "Must not be empty")
      .max(MAX_PARAMETER_LENGTH, `Use at most ${MAX_PARAMETER_LENGTH} characters`)
      .openapi({ description: "As `POST /api/auth/authenticate` answers it to who accepts `application/json` alone" }),
  })
  .openapi("RefreshToken");

export const TokenResponse = z
  .object({
    access_token: z.string(),
    expires_in: z.number().openapi({ description: "Seconds", example: 300 }),
    refresh_token: z.string().optional(),
    refresh_expires_in: z.number().optional().openapi({ description: "Seconds", example: 1800 }),
    token_type: z.string().openapi({ example: "Bearer" }),
    scope: z.string().optional(),
  })
  .openapi("TokenResponse");

export const NewIdentityUser = z
  .object({
    username: z
      .string()
      .regex(/^[A-Za-z0-9._-]{3,255}$/, "Use 3 to 255 letters, digits, dots, dashes and underscores")
      .openapi({ example: "nightly-report" }),
    password: NewPassword.openapi({ description: PASSWORD_RULES, example: "Correct-Horse-9-Battery", format: "password", ...PASSWORD_LENGTH }),
    firstName: line(255).openapi({ example: "Asha" }),
    lastName: line(255).openapi({ example: "Rao" }),
    emailId: z.email("Use a valid e-mail address").max(254, "Use at most 254 characters").openapi({ example: "asha.rao@example.com" }),
  })
  .openapi("IdentityProviderUser");

export const IdentityUserCreated = z
  .object({ responseCode: z.literal("201"), response: z.string() })
  .openapi("IdentityProviderUserCreated");
