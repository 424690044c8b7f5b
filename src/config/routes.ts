import { type RouteConfig, z } from "@hono/zod-openapi";
import type { ProblemCode } from "../http/problem.ts";
import { route } from "../http/route.ts";
import * as examples from "./examples.ts";
import type { FileFormat } from "./names.ts";
import { VERSION_1, VERSION_2 } from "./representation.ts";
import * as schema from "./schema.ts";

const PROBLEMS: readonly ProblemCode[] = ["NOT_FOUND_404", "CONFIG_LABEL_NOT_FOUND_404", "CONFIG_FILE_INVALID_422", "CONFIG_TOO_LARGE_422"];

const { ApplicationParam: application, ProfilesParam: profiles, LabelParam: label, PathParam: path } = schema;

/** Either of the credentials will do; the token in the second place it may come in. */
const SECURITY: Record<string, string[]>[] = [{ basic: [] }, { bearer: [] }, { configToken: [] }];

const PRECEDENCE =
  "Files of profiles win over the others, the last profile over those before it, the application's own over `application`, which all share, " +
  "and `.properties` over `.yml`, `.yaml` and `.json`; in one file later documents win.";

const SECRETS =
  "A service token brings the secrets at `secret/platform/{application}/{profile}` on top, those of the last profile first: of the application " +
  "that the token was issued to, when it is among those asked for. Of other applications the files are read, and no secrets.";

const environments = {
  200: {
    description: "What the application is told; the source that wins comes first",
    content: {
      [VERSION_1]: { schema: schema.Environment, example: examples.environment },
      [VERSION_2]: { schema: schema.EnvironmentWithOrigins, example: examples.environmentWithOrigins },
    },
  },
};

export const environment = documented({
  path: "/{application}/{profiles}",
  operationId: "readEnvironment",
  summary: "What an application is told for its profiles",
  description: `${PRECEDENCE} Placeholders are delivered as they are. ${SECRETS}`,
  tags: ["Environments"],
  request: { params: z.object({ application, profiles }) },
  responses: environments,
  problems: ["NOT_ACCEPTABLE_406", ...PROBLEMS],
});

export const environmentAtLabel = documented({
  path: "/{application}/{profiles}/{label}",
  operationId: "readEnvironmentAtLabel",
  summary: "What an application is told at a label",
  description: `${PRECEDENCE} A folder that the label names ranks above the root, among files of profiles and among the others. ${SECRETS}`,
  tags: ["Environments"],
  request: { params: z.object({ application, profiles, label }), query: schema.LabelQuery },
  responses: environments,
  problems: ["NOT_ACCEPTABLE_406", ...PROBLEMS],
});

export const plainFile = documented({
  path: "/{application}/{profiles}/{label}/{path}",
  operationId: "readPlainFile",
  summary: "A file as it is",
  description:
    "The path may have slashes. A variant for a profile, such as `nginx-dev.conf`, comes before the file itself. Placeholders in text are replaced by " +
    "what the application is told; `Accept: application/octet-stream` brings the bytes as they are.",
  tags: ["Files"],
  request: { params: z.object({ application, profiles, label, path }), query: schema.ResolveQuery },
  responses: {
    200: {
      description: "The file",
      content: {
        "text/plain": { schema: schema.AnyText, example: examples.plainFile },
        "application/octet-stream": { schema: schema.AnyText, example: examples.plainFile },
      },
    },
  },
  problems: ["CONFIG_NOT_CONVERTIBLE_400", ...PROBLEMS],
});

type Content = Record<string, { schema: z.ZodType; example: unknown }>;

const FORMATS: Record<FileFormat, { name: string; content: Content }> = {
  yml: { name: "Yml", content: { "text/plain": { schema: schema.AnyText, example: examples.files.yml } } },
  yaml: { name: "Yaml", content: { "text/plain": { schema: schema.AnyText, example: examples.files.yml } } },
  properties: { name: "Properties", content: { "text/plain": { schema: schema.AnyText, example: examples.files.properties } } },
  json: { name: "Json", content: { "application/json": { schema: schema.AnyTree, example: examples.files.json } } },
};

export const files = Object.entries(FORMATS).flatMap(([format, { name, content }]) => {
  const shared = {
    description: `All sources as one, the highest winning; maps are merged, lists are replaced as a whole. The last hyphen parts application and profiles. ${SECRETS}`,
    tags: ["Files"],
    responses: { 200: { description: "The file", content } },
    problems: ["CONFIG_NOT_CONVERTIBLE_400", ...PROBLEMS] satisfies ProblemCode[],
  };
  return [
    documented({
      ...shared,
      path: `/{application}-{profiles}.${format}`,
      operationId: `read${name}`,
      summary: `What an application is told, as .${format}`,
      request: { params: z.object({ application, profiles }), query: schema.ResolveQuery },
    }),
    documented({
      ...shared,
      path: `/{label}/{application}-{profiles}.${format}`,
      operationId: `read${name}AtLabel`,
      summary: `What an application is told at a label, as .${format}`,
      request: { params: z.object({ label, application, profiles }), query: schema.ResolveQuery },
    }),
  ];
});

type Documented = Omit<Parameters<typeof route>[0], "access" | "method">;

function documented(definition: Documented): RouteConfig {
  const { access: _, getRoutingPath: __, ...config } = route({ ...definition, access: "service", method: "get" });
  return { ...config, security: SECURITY };
}
