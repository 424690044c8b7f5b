import { readFileSync } from "node:fs";
import { parse } from "yaml";
import * as z from "zod";

const duration = z.string().regex(/^(\d+(us|ms|s|m|h))+$/);
const bytes = z.string().regex(/^\d+[KMG]$/);
const names = z.array(z.string().regex(/^[a-zA-Z0-9._-]+$/));
const words = z.array(z.string());

const Healthcheck = z.union([
  z.strictObject({ disable: z.literal(true) }),
  z.strictObject({
    test: z.tuple([z.enum(["CMD", "CMD-SHELL"])], z.string()),
    interval: duration,
    timeout: duration,
    retries: z.int().positive(),
    start_period: duration,
  }),
]);

/** As much of the Compose Specification as the file may use; what is not in here is a mistake. */
const Service = z.strictObject({
  profiles: names.optional(),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  image: z.string(),
  user: z.string(),
  entrypoint: words.optional(),
  command: words.optional(),
  environment: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string().nullable()).default({}),
  volumes: words.default([]),
  ports: words.default([]),
  networks: names,
  depends_on: z.record(z.string(), z.strictObject({ condition: z.enum(["service_started", "service_healthy", "service_completed_successfully"]) })).default({}),
  healthcheck: Healthcheck.optional(),
  restart: z.enum(["no", "always", "on-failure", "unless-stopped"]),
  init: z.boolean(),
  read_only: z.boolean(),
  tmpfs: words,
  shm_size: bytes.optional(),
  cap_drop: words,
  security_opt: words,
  stop_grace_period: duration.optional(),
  deploy: z.strictObject({ resources: z.strictObject({ limits: z.strictObject({ memory: bytes, pids: z.int().positive() }) }) }),
});

const Compose = z
  .object({
    name: z.string(),
    services: z.record(z.string(), Service),
    networks: z.record(z.string(), z.strictObject({ internal: z.boolean() }).nullable()),
    volumes: z.record(z.string(), z.null()),
  })
  .catchall(z.unknown())
  .refine((file) => Object.keys(file).every((key) => ["name", "services", "networks", "volumes"].includes(key) || key.startsWith("x-")), "Use the keys of the Compose Specification");

export type ComposeService = z.infer<typeof Service>;

export const text = readFileSync(new URL("../../compose.yaml", import.meta.url), "utf8");

export const compose = Compose.parse(parse(text, { merge: true }));

export const services = Object.entries(compose.services);

/** `${NAME}`, `${NAME:?sentence}`, `${NAME:-default}`: what the file takes from its environment. */
export const variables = [...text.matchAll(/(?<!\$)\$(?:\{([A-Z_]+)(?:(:?[-?+])([^}]*))?\}|([A-Z_]+))/g)].map(([, braced, operator, word = "", bare]) => ({ name: braced ?? bare ?? "", operator, word }));
