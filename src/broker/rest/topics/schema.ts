import * as z from "zod";

const int32 = z.int32();
const configName = z.string().max(1000);
const configValue = z.string().max(10_000).nullish();

export const newTopicSchema = z.strictObject({
  topic_name: z.string(),
  partitions_count: int32.nullish(),
  replication_factor: z.int().min(-32_768).max(32_767).nullish(),
  replicas_assignments: z.record(z.string(), z.array(int32)).nullish(),
  configs: z.array(z.strictObject({ name: configName, value: configValue })).max(1000).nullish(),
  validate_only: z.boolean().nullish(),
});

export type NewTopicBody = z.infer<typeof newTopicSchema>;

export const partitionsCountSchema = z.strictObject({ partitions_count: int32 });

export const configChangesSchema = z.strictObject({
  data: z.array(z.strictObject({ name: configName, value: configValue, operation: z.enum(["SET", "DELETE"]).nullish() })).max(1000),
  validate_only: z.boolean().nullish(),
});
