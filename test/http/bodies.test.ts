import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestPlatform, testPlatform } from "../platform.ts";
import { callers, type Operation, operations, withBody } from "./operations.ts";
import { problemOf } from "./problem.ts";

let platform: TestPlatform;
let call: Awaited<ReturnType<typeof callers>>["call"];
let documented: Map<string, Set<string>>;
beforeAll(async () => {
  platform = await testPlatform();
  ({ call } = await callers(platform));
  documented = await documentedCodes();
});
afterAll(() => platform.close());

/** The codes that the documents announce for each operation. */
async function documentedCodes(): Promise<Map<string, Set<string>>> {
  const codes = new Map<string, Set<string>>();
  type Document = { paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>> };
  for (const service of ["users", "auth"] as const) {
    const document = (await (await platform.request("/v3/api-docs", { service })).json()) as Document;
    for (const [pattern, methods] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        const announced = Object.values(responses).flatMap(({ description }) => description.match(/[A-Z_]+_\d{3}/g) ?? []);
        codes.set(`${method.toUpperCase()} ${pattern}`, new Set(announced));
      }
    }
  }
  return codes;
}

const json = { "content-type": "application/json" };
const nested = (levels: number) => `{"a":`.repeat(levels - 1) + "{}" + "}".repeat(levels - 1);
const keys = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0])));
const bytes = (count: number) => `{}${" ".repeat(count - 2)}`;

const REFUSED: [fault: string, code: string, body: RequestInit["body"], headers?: Record<string, string>][] = [
  ...["", " ", "{", "[1,]", "{'a':1}", "{\"a\":1}x", "NaN", "undefined", "\u{feff}\u{feff}{}", "{\"a\":\"\n\"}"].map((text): [string, string, string] => [`${JSON.stringify(text)} for JSON`, "MALFORMED_JSON_400", text]),
  ["bytes that are no UTF-8", "MALFORMED_JSON_400", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ["UTF-16", "MALFORMED_JSON_400", new Uint8Array(Buffer.from("{}", "utf16le"))],
  ["33 levels", "MALFORMED_JSON_400", nested(33)],
  ["33 levels of arrays", "MALFORMED_JSON_400", "[".repeat(33) + "]".repeat(33)],
  ["30,000 levels", "MALFORMED_JSON_400", "[".repeat(30_000) + "]".repeat(30_000)],
  ["1,001 keys", "MALFORMED_JSON_400", keys(1001)],
  ["1,001 keys in all", "MALFORMED_JSON_400", `{"a":${keys(500)},"b":${keys(499)}}`],
  ["__proto__", "MALFORMED_JSON_400", '{"__proto__":{"isLockUser":true}}'],
  ["__proto__ escaped and deep", "MALFORMED_JSON_400", '{"a":[{"\\u005f_proto__":1}]}'],
  ["a NUL", "MALFORMED_JSON_400", '{"username":"a\\u0000b"}'],
  ["a NUL in a key", "MALFORMED_JSON_400", '{"a\\u0000b":1}'],
  ["a lone surrogate", "MALFORMED_JSON_400", '{"username":"\\ud800"}'],
  ["a lone surrogate in a key", "MALFORMED_JSON_400", '{"\\udc00":1}'],
  ["one byte more than 64 KiB", "PAYLOAD_TOO_LARGE_413", bytes(65_537)],
  ...["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/problem+json", "multipart/form-data; boundary=x", "text/json", "application/json,text/plain", "application/json;", "application/json ; x=y"].map(
    (type): [string, string, string, Record<string, string>] => [`media type ${type}`, "UNSUPPORTED_MEDIA_TYPE_415", "{}", { "content-type": type }],
  ),
];

/** Without `duplex` a stream is refused as a body; the types do not know it yet. */
const streamed = (body: ReadableStream<Uint8Array>) => ({ body, duplex: "half" }) as { body: RequestInit["body"] };

describe.for(withBody.map((operation) => [operation.name, operation] as const))("%s", ([, operation]) => {
  test("refuses whatever is not JSON that all readers understand alike", async () => {
    for (const [fault, code, body, headers = json] of REFUSED) {
      const refusal = await problemOf(await call(operation, { body, headers }));
      expect({ fault, ...refusal }).toEqual({ fault, code, status: Number(code.slice(-3)) });
    }
    expect((await problemOf(await call(operation, { headers: {} }))).code).toBe("UNSUPPORTED_MEDIA_TYPE_415");
  });

  test("stops reading a body without an announced length at 64 KiB", async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 16_384;
        controller.enqueue(new Uint8Array(16_384).fill(32));
      },
    });
    expect((await problemOf(await call(operation, { ...streamed(body), headers: json }))).code).toBe("PAYLOAD_TOO_LARGE_413");
    expect(pulled).toBeLessThanOrEqual(131_072);
  });

  test("reads what is just within the bounds, and the media type in any spelling", async () => {
    for (const body of [nested(32), keys(1000), bytes(65_536), "[]", "1", '"x"', "null"]) {
      const { status, headers } = await call(operation, { body, headers: json });
      const expected = operation.name === "PUT /api/users/{userId}" && body.startsWith("{") ? 200 : 400;
      expect({ body: body.slice(0, 20), status, type: headers.get("content-type")?.includes("json") }).toEqual({ body: body.slice(0, 20), status: expected, type: true });
    }
    for (const type of ["APPLICATION/JSON", "application/json;charset=utf-8", 'application/json; charset="UTF-8"; x=y']) {
      const answer = await call(operation, { body: "[1]", headers: { "content-type": type } });
      expect({ type, code: (await problemOf(answer)).code }).toEqual({ type, code: "VALIDATION_FAILED_400" });
    }
  });
});

/** JSON values, and the operation's own good body with a part of it put wrong. */
function bodies({ body }: Operation): fc.Arbitrary<unknown> {
  const good = body() ?? {};
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "9876543210", "a@b.co", "true"));
  const any = fc.oneof(fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }), text);
  const spoiled = fc.tuple(fc.constantFrom(...Object.keys(good), "x"), any).map(([field, value]) => Object.assign({}, good, { [field]: value }));
  const inner = fc.tuple(fc.constantFrom(...Object.keys(good)), text, any).map(([field, key, value]) => Object.assign({}, good, { [field]: Object.assign({}, good[field], { [key]: value }) }));
  return fc.oneof(any, spoiled, inner);
}

test.for(operations.map((operation) => [operation.name, operation] as const))(
  "%s: no body and no path makes it fail, and every refusal is one that its document announces",
  async ([name, operation]) => {
    const ids = fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).filter((text) => text !== "." && text !== ".." && text.isWellFormed());
    const subjects = fc.record({ userId: ids.map(encodeURIComponent), attemptId: fc.oneof(fc.uuid(), ids.map(encodeURIComponent)) });
    const about = fc.option(subjects, { freq: 3, nil: undefined });
    await fc.assert(
      fc.asyncProperty(operation.hasBody ? bodies(operation) : fc.constant(undefined), about, async (json, subject) => {
        const answer = await call(operation, { json, ...(subject && { about: subject }) });
        if (answer.status < 300) return;
        const { status, code } = await problemOf(answer);
        expect({ name, code, isAnnounced: documented.get(name)?.has(code), isServerFault: status >= 500 }).toEqual({ name, code, isAnnounced: true, isServerFault: false });
      }),
      { numRuns: 40 },
    );
  },
);
