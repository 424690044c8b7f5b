import { z } from "@hono/zod-openapi";

export const ApplicationParam = z.string().openapi({
  description: "The application's name, or several with commas between them, the last of which wins; `(_)` stands for a slash",
  example: "user-service",
});

export const ProfilesParam = z.string().openapi({
  description: "Profiles with commas between them, the last of which wins; `default` for none",
  example: "dev",
});

export const LabelParam = z.string().openapi({
  description: "A branch, a tag or a commit where the files are a git checkout, else a folder among them; `(_)` stands for a slash",
  example: "main",
});

export const PathParam = z.string().openapi({ description: "The file's path below the label", example: "nginx.conf" });

export const ResolveQuery = z.object({
  resolvePlaceholders: z
    .enum(["true", "false"], { error: 'Use "true" or "false"' })
    .optional()
    .openapi({ description: "Whether `${name}` and `${name:default}` are replaced by what is delivered, which they are unless this is `false`", example: "true" }),
});

export const LabelQuery = z.object({
  useDefaultLabel: z.string().optional().openapi({ description: "Present: what follows the profiles is the path of a plain file, without a label", example: "" }),
});

const values = z.union([z.string(), z.number(), z.boolean()]);

const source = <S extends z.ZodType>(value: S) =>
  z.object({
    name: z.string().openapi({ description: "Where the values are from; no two sources have the same" }),
    source: z.record(z.string(), value).openapi({ description: "Flattened name → value" }),
  });

const environment = <S extends z.ZodType>(value: S) =>
  z.object({
    name: z.string().openapi({ description: "The application as asked for" }),
    profiles: z.array(z.string()).openapi({ description: "The profiles as asked for, as one text" }),
    label: z.string().nullable(),
    version: z.string().nullable().openapi({ description: "The commit, where the files are a git checkout" }),
    state: z.string().nullable(),
    propertySources: z.array(source(value)).openapi({ description: "The first that has a name wins" }),
  });

export const Environment = environment(values).openapi("Environment");

export const EnvironmentWithOrigins = environment(
  z.object({ value: values, origin: z.string().openapi({ description: "Where the value stands: line and column", example: "5:11" }) }),
).openapi("EnvironmentWithOrigins");

export const AnyText = z.string();
export const AnyTree = z.record(z.string(), z.unknown());
