import { expect, test } from "vitest";
import { findings } from "../http/linter.ts";
import { configInstance } from "./instance.ts";

type Operation = { security?: object[]; responses: Record<string, { content?: Record<string, { example?: unknown; examples?: object }> }>; parameters: { name: string }[] };
type Document = { paths: Record<string, { get: Operation }> };

async function document(): Promise<Document> {
  return (await (await configInstance().call("http://config.test/v3/api-docs")).json()) as Document;
}

test("every operation of the wire is described, with its examples, its errors and its credentials", async () => {
  const { paths } = await document();
  const formats = ["yml", "yaml", "properties", "json"].flatMap((format) => [`/{application}-{profiles}.${format}`, `/{label}/{application}-{profiles}.${format}`]);
  const wire = ["/{application}/{profiles}", "/{application}/{profiles}/{label}", "/{application}/{profiles}/{label}/{path}", ...formats];
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(wire));
  for (const path of wire) {
    const { security, responses } = paths[path]!.get;
    expect(security).toEqual([{ basic: [] }, { bearer: [] }, { configToken: [] }]);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["200", "400", "401", "403", "404", "422", "503"]));
    for (const { content = {} } of Object.values(responses)) for (const media of Object.values(content)) expect(media.example ?? media.examples).toBeDefined();
  }
});

test("a public linter has nothing against the document", async () => {
  expect(await findings(await document())).toEqual([]);
});
