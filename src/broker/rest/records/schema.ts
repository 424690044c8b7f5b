import * as z from "zod";

const datum = z.strictObject({
  type: z.enum(["BINARY", "JSON", "STRING", "AVRO", "JSONSCHEMA", "PROTOBUF"]).nullish(),
  subject: z.string().nullish(),
  subject_name_strategy: z.string().nullish(),
  schema_id: z.int32().nullish(),
  schema_version: z.int32().nullish(),
  schema: z.string().nullish(),
  data: z.unknown().optional(),
});

const fields = {
  partition_id: z.int32().nullish(),
  headers: z
    // The embedded log keeps no NUL in text: Postgres has none.
    .array(z.strictObject({ name: z.string().max(1000).refine((name) => !name.includes("\0"), "A name has no NUL"), value: z.string().nullish() }))
    .max(100)
    .nullish(),
  key: datum.nullish(),
  value: datum.nullish(),
  timestamp: z.iso.datetime({ offset: true }).nullish(),
};

export const recordSchema = z.strictObject(fields);

export type RecordBody = z.infer<typeof recordSchema>;

/** Of an id that is none, `records:batch` says so itself. */
export const batchSchema = z.strictObject({ entries: z.array(z.strictObject({ id: z.unknown().optional(), ...fields })).nullish() });
