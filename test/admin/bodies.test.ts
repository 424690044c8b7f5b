import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { type AdminPlatform, adminPlatform } from "./instance.ts";
import { operations, type Operation, prepare } from "./operations.ts";

let platform: AdminPlatform;
let documented: Map<string, string>;
beforeAll(async () => {
  platform = await adminPlatform();
  await prepare(platform);
  type Document = { paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>> };
  const { paths } = (await (await platform.call("GET", "/v3/api-docs")).json()) as Document;
  documented = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => [`${method.toUpperCase()} ${path}`, Object.values(responses).map(({ description }) => description).join()] as const),
    ),
  );
});
afterAll(() => platform.close());

const text = fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.constantFrom("__proto__", "constructor", "..", "root", "true", "order-service"));
const value = fc.oneof(fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }), text);

/** The operation's own good body with a part of it put wrong, or anything at all. */
function bodies({ json }: Operation): fc.Arbitrary<unknown> {
  const sample = json();
  if (!sample) return fc.constant(undefined);
  const spoiled = fc.tuple(fc.constantFrom(...Object.keys(sample), "x"), value).map(([field, wrong]) => Object.assign({}, sample, { [field]: wrong }));
  const entries = fc.array(fc.record({ key: value, secret: value }, { requiredKeys: [] }), { maxLength: 5 }).map((secrets) => Object.assign({}, sample, { secrets }));
  return fc.oneof(value, spoiled, entries);
}

/** The same for the query. */
function queries({ query }: Operation): fc.Arbitrary<string> {
  const names = [...new URLSearchParams(query()).keys(), "timeoutMs", "listInternal", "x"];
  const wrong = fc.array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 3 }).map((pairs) => String(new URLSearchParams(pairs)));
  return fc.oneof(wrong, fc.constant("").map(query));
}

test.for(operations.map((operation) => [operation.name, operation] as const))(
  "%s: no body and no query makes it fail, and every refusal is one that its document announces",
  async ([name, operation]) => {
    const { method, path } = operation;
    await fc.assert(
      fc.asyncProperty(bodies(operation), queries(operation), async (json, query) => {
        const answer = await platform.call(method, `${path}?${query}`, { json });
        if (answer.status < 300) return;
        const { status, code } = await problemOf(answer);
        expect({ name, code, isAnnounced: documented.get(name)?.includes(code), isServerFault: status >= 500 }).toEqual({ name, code, isAnnounced: true, isServerFault: false });
      }),
      { numRuns: 40 },
    );
  },
);
