import * as z from "zod";

const PathItem = z.record(z.string(), z.unknown());
const Operation = z.looseObject({ tags: z.array(z.string()).optional() });

/** As much of an API description as it takes to cut some out. */
export const DocumentSchema = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), PathItem),
  tags: z.array(z.looseObject({ name: z.string() })).optional(),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()).optional() }).optional(),
});

type Document = z.infer<typeof DocumentSchema>;

/** What of a service's API description is shown, and where its operations are. */
export type Shown = { server: { url: string; description?: string }; isOpen: (path: string) => boolean };

/** The operations of `document` that are open, and what they need to be understood. */
export function excerpt(document: Document, { server, isOpen }: Shown): object {
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => isOpen(path)));
  const named = tagsOf(paths);
  const { tags, components } = document;
  return {
    ...document,
    servers: [server],
    paths,
    ...(tags && { tags: tags.filter(({ name }) => named.has(name)) }),
    ...(components?.schemas && { components: { ...components, schemas: reached(components.schemas, [paths, { ...components, schemas: {} }]) } }),
  };
}

function tagsOf(paths: Document["paths"]): Set<string> {
  const operations = Object.values(paths).flatMap((item) => Object.values(item).map((one) => Operation.safeParse(one)));
  return new Set(operations.flatMap(({ data }) => data?.tags ?? []));
}

/** The schemas that `parts` refer to, themselves or through others. */
function reached(schemas: Record<string, unknown>, parts: unknown[]): Record<string, unknown> {
  const names = new Set<string>();
  const rest = [...parts];
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"/]+)"/g)) {
      if (names.has(name) || !Object.hasOwn(schemas, name)) continue;
      names.add(name);
      rest.push(schemas[name]);
    }
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name)));
}
