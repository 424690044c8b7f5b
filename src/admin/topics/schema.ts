import { z } from "@hono/zod-openapi";

const MAX_TIMEOUT_MS = 5000;
const MAX_NAMES = 100;
/** What Kafka keeps the numbers in: 32 and 16 bits. */
const MAX_PARTITIONS = 2_147_483_647;
const MAX_REPLICATION = 32_767;

const TopicName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,249}$/, "Use 1 to 249 letters, digits, dots, underscores and hyphens")
  .refine((text) => text !== "." && text !== "..", "Must not be one or two dots");

const timeout = z
  .int("Use a whole number of milliseconds")
  .min(1, "Use at least 1 ms")
  .transform((ms) => Math.min(ms, MAX_TIMEOUT_MS));

const inQuery = z
  .string()
  .regex(/^-?\d{1,15}$/, "Use a whole number of milliseconds")
  .transform(Number)
  .pipe(timeout)
  .optional()
  .openapi({ type: "integer", example: MAX_TIMEOUT_MS, description: "At most and by default 5000; a larger one counts as 5000." });

export const Listing = z.object({
  listInternal: z
    .enum(["true", "false"], { error: 'Use "true" or "false"' })
    .transform((text) => text === "true")
    .optional()
    .openapi({ type: "boolean", example: false, description: "Whether the broker's own topics are listed too; false by default." }),
  timeoutMs: inQuery,
});

export const Description = z.object({
  topicNames: z
    .union([z.string(), z.array(z.string())], { error: "Name at least one topic" })
    .transform((given) => [...new Set([given].flat().flatMap((names) => names.split(",")).map((name) => name.trim()))])
    .pipe(z.array(TopicName).max(MAX_NAMES, `Name at most ${MAX_NAMES} topics`))
    .openapi({ type: "array", items: { type: "string" }, example: ["orders", "payments"], description: "Repeated, or separated by commas." }),
  timeoutMs: inQuery,
});

export const NewTopic = z
  .object({
    topicName: TopicName.openapi({ example: "orders" }),
    numPartitions: z.int().min(1, "Use at least 1").max(MAX_PARTITIONS, "Is too large").openapi({ example: 3 }),
    replicationFactor: z.int().min(1, "Use at least 1").max(MAX_REPLICATION, "Is too large").openapi({ example: 1 }),
    timeoutMs: timeout.nullish().openapi({ type: "integer", example: MAX_TIMEOUT_MS }),
  })
  .openapi("TopicCreationDto");

export const Created = z
  .object({ responseCode: z.literal("200"), message: z.literal("Topic created successfully") })
  .openapi("ResponseDto");

export const Topics = z.array(
  z.object({ name: z.string().openapi({ example: "orders" }), isInternal: z.boolean() }).openapi("TopicListingDto"),
);

export const exampleDescription = { name: "orders", partitions: 3, isInternal: false, aclOperation: [3, 4, 5, 6, 7, 8, 10, 11] };

export const Descriptions = z.array(
  z
    .object({
      name: z.string().openapi({ example: "orders" }),
      partitions: z.int().openapi({ example: 3 }),
      isInternal: z.boolean(),
      aclOperation: z.array(z.int()).openapi({
        description: "What this service may do, as Kafka's AclOperation codes: READ 3, WRITE 4, CREATE 5, DELETE 6, ALTER 7, DESCRIBE 8, …",
        example: exampleDescription.aclOperation,
      }),
    })
    .openapi("TopicDescriptionDto"),
);
