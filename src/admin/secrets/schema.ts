import { z } from "@hono/zod-openapi";
import { oneLine } from "../../http/line.ts";
import { Name } from "../schema.ts";

const MAX_ENTRIES = 100;
const MAX_SECRET_BYTES = 32 * 1024;
const MAX_KEY_LENGTH = 255;

const utf8 = new TextEncoder();

const Secret = z
  .object({
    key: oneLine
      .min(1, "Must not be empty")
      .max(MAX_KEY_LENGTH, `Use at most ${MAX_KEY_LENGTH} characters`)
      .refine((text) => text === text.trim(), "Must not begin or end with a space")
      // Readers that build an object from it would lose or misplace it.
      .refine((text) => text !== "__proto__", "Must not be __proto__")
      .openapi({ example: "spring.datasource.password" }),
    secret: z
      .string()
      .refine((text) => utf8.encode(text).length <= MAX_SECRET_BYTES, `Use at most ${MAX_SECRET_BYTES} bytes`)
      .openapi({ description: `At most ${MAX_SECRET_BYTES} bytes`, example: "a-value-that-nobody-guesses", format: "password" }),
  })
  .openapi("VaultSecret");

export const NewSecrets = z
  .object({
    service: Name.openapi({ example: "order-service" }),
    secrets: z
      .array(Secret)
      .min(1, "Give at least one secret")
      .max(MAX_ENTRIES, `Give at most ${MAX_ENTRIES} secrets`)
      .refine((all) => new Set(all.map(({ key }) => key)).size === all.length, "Give each key once"),
  })
  .openapi("VaultSecretDto");

export const exampleSecrets = { service: "order-service", secrets: [{ key: "spring.datasource.password", secret: "a-value-that-nobody-guesses" }] };

export const Secrets = z
  .record(z.string(), z.unknown())
  .openapi({ description: "Key → value", example: { "spring.datasource.password": "a-value-that-nobody-guesses" } });
