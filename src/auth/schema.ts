import { z } from "@hono/zod-openapi";
import { NewPassword } from "../identity/password.ts";

export const Credentials = z
  .object({
    username: z.string().min(1, "Must not be empty").max(320, "Use at most 320 characters").openapi({ example: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6" }),
    password: z
      .string()
      .min(1, "Must not be empty")
      .max(512, "Use at most 512 characters")
      .openapi({ example: "Correct-Horse-7-Battery", format: "password" }),
  })
  .openapi("Credentials");

export const RefreshToken = z
  .object({ refresh_token: z.string().min(1, "Must not be empty").max(8192, "Use at most 8192 characters") })
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

const text = (example: string) =>
  z
    .string()
    .trim()
    .min(1, "Must not be empty")
    .max(255, "Use at most 255 characters")
    .regex(/^[^\p{Cc}]*$/u, "Must not have control characters")
    .openapi({ example });

export const NewIdentityUser = z
  .object({
    username: z
      .string()
      .regex(/^[A-Za-z0-9._-]{3,255}$/, "Use 3 to 255 letters, digits, dots, dashes and underscores")
      .openapi({ example: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6" }),
    password: NewPassword,
    firstName: text("Asha"),
    lastName: text("Rao"),
    emailId: z.email("Use a valid e-mail address").max(254, "Use at most 254 characters").openapi({ example: "asha.rao@example.com" }),
  })
  .openapi("IdentityProviderUser");

export const IdentityUserCreated = z
  .object({ responseCode: z.literal("201"), response: z.string() })
  .openapi("IdentityProviderUserCreated");
