import { z } from "@hono/zod-openapi";
import { NewPassword } from "../identity/password.ts";

const text = (max: number) =>
  z
    .string()
    .trim()
    .min(1, "Must not be empty")
    .max(max, `Use at most ${max} characters`)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, "Must not have control characters");

export const Credentials = z
  .object({
    username: text(320).openapi({ example: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6" }),
    password: z
      .string()
      .min(1, "Must not be empty")
      .max(512, "Use at most 512 characters")
      .openapi({ example: "Correct-Horse-7-Battery", format: "password" }),
  })
  .openapi("Credentials");

/** Keycloak reads no form parameter that is longer. */
const MAX_PARAMETER_LENGTH = 4000;

export const RefreshToken = z
  .object({ refresh_token: z.string().min(1, "Must not be empty").max(MAX_PARAMETER_LENGTH, `Use at most ${MAX_PARAMETER_LENGTH} characters`) })
  .openapi("RefreshToken");

export const TokenResponse = z
  .object({
    access_token: z.string(),
    expires_in: z.number(),
    refresh_token: z.string().optional(),
    refresh_expires_in: z.number().optional(),
    token_type: z.string(),
    scope: z.string().optional(),
  })
  .openapi("TokenResponse");

export const NewIdentityUser = z
  .object({
    username: z
      .string()
      .regex(/^[A-Za-z0-9._-]{3,255}$/, "Use 3 to 255 letters, digits, dots, dashes and underscores")
      .openapi({ example: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6" }),
    password: NewPassword,
    firstName: text(255).openapi({ example: "Asha" }),
    lastName: text(255).openapi({ example: "Rao" }),
    emailId: z.email("Use a valid e-mail address").max(254, "Use at most 254 characters").openapi({ example: "asha.rao@example.com" }),
  })
  .openapi("IdentityProviderUser");

export const IdentityUserCreated = z
  .object({ responseCode: z.literal("201"), response: z.string() })
  .openapi("IdentityProviderUserCreated");
