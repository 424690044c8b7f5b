import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bundledFiles } from "../../src/config/files.ts";
import { configInstance } from "./instance.ts";

type Environment = { propertySources: { name: string; source: Record<string, unknown> }[] };

let shown = bundledFiles({});
const { call } = configInstance({ files: { at: (label) => shown.at(label) } });

/** What `/app/{profiles}` answers on these files: the sources from the highest. */
async function told(files: Record<string, string>, profiles = "default"): Promise<Record<string, unknown>[]> {
  const response = await sent(files, `/app/${profiles}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as Environment).propertySources.map(({ source }) => source);
}

function sent(files: Record<string, string>, path: string): Promise<Response> {
  shown = bundledFiles(files);
  return call(path);
}

async function fileOf(files: Record<string, string>, path: string): Promise<string> {
  const response = await sent(files, path);
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status: 200, text });
  return text;
}

describe("YAML 1.1 is read as SnakeYAML reads it", () => {
  test.for<[string, unknown]>([
    ["0b101", 5], ["-0x1F", -31], ["+12", 12], ["0777", 511], ["08", "08"], ["0", 0], ["-0", 0], ["1__0", 10], ["190:20:30", 685_230], ["12:60", "12:60"],
    [".5", 0.5], ["1.", 1], ["1e3", 1000], ["1e400", "Infinity"], ["-.INF", "-Infinity"], [".NAN", "NaN"], ["1:30.5", 90.5], ["1.2.3", "1.2.3"],
    ["Yes", true], ["oN", "oN"], ["OFF", false], ["y", "y"], ["Null", ""], ["nUll", "nUll"], ["'1'", "1"], ['"\\x41\\t"', "A\t"],
    ["!!str 1", "1"], ["! 1", "1"], ["!!int '7'", 7], ["!!float 1.5", 1.5], ["!!bool 'yes'", true], ["!!null x", ""], ["!!timestamp 2024-01-01", "2024-01-01"],
    ["2024-01-01", "2024-01-01"], ["!!binary 'aGVs bG8='", "aGVsbG8="], ["1e-4", 0.0001], ["12345678.5", 12_345_678.5],
  ])("%s is %j", async ([text, value]) => {
    expect(await told({ "app.yml": `value: ${text}\n` })).toEqual([{ value }]);
  });

  test("doubles are written as Java writes them", async () => {
    const numbers = ["1e7", "1.5e-5", "123456.75", "0.001", "9999999.0", "-0.0", "1e21"];
    const text = await fileOf({ "app.yml": numbers.map((number, index) => `n${index}: ${number}`).join("\n") }, "/app-x.properties");
    expect(text.split("\n").map((line) => line.split(": ")[1])).toEqual(["1.0E7", "1.5E-5", "123456.75", "0.001", "9999999.0", "-0.0", "1.0E21"]);
  });

  test("keys are text, or stand in brackets; merged keys give way to a map's own, earlier maps to none", async () => {
    const text = "1: a\nnull: b\nyes: c\n'2': d\n<<: [{ m: 1, n: 1 }, { m: 2, o: 2 }]\nn: own\nnested: { <<: { deep: { a: 1 } }, deep: { b: 2 } }\n'<<': text\n";
    expect(await told({ "app.yml": text })).toEqual([{ m: 1, n: "own", o: 2, "[1]": "a", "[null]": "b", "[true]": "c", 2: "d", "nested.deep.b": 2, "<<": "text" }]);
  });

  test("documents without content are none", async () => {
    expect(await told({ "app.yml": "---\n# nothing\n---\na: 1\n---\n" })).toEqual([{ a: 1 }]);
  });
});

describe("a .properties file is read as java.util.Properties reads it", () => {
  test.for<[string, Record<string, string>]>([
    ["a=1\nb:2\nc 3\nd\t=\t4\ne", { a: "1", b: "2", c: "3", d: "4", e: "" }],
    ["  indented = x  ", { indented: "x  " }],
    ["# c\n ! c\n\n\\#a=1\n", { "#a": "1" }],
    ["long = a \\\n     b\\\r\n  # no comment\n", { long: "a b# no comment" }],
    ["even = a\\\\\nnext = b", { even: "a\\", next: "b" }],
    ["k\\:e\\=y\\ s = v", { "k:e=y s": "v" }],
    ["u = \\u00e4\\t\\n\\q\\\\", { u: "ä\t\nq\\" }],
    ["= only", { "": "only" }],
    ["a=1\na=2", { a: "2" }],
    ["last = \\", { last: "" }],
    ["raw = grüße", { raw: "grüße" }],
  ])("%j", async ([text, source]) => {
    expect(await told({ "app.properties": text })).toEqual([source]);
  });

  test("documents are parted by #--- and !---, unless it stands among comments", async () => {
    const text = "a=0\n#---\na=1\n!---\na=2\n# a comment\n#---\na=3\n";
    expect(await told({ "app.properties": text })).toEqual([{ a: "3" }, { a: "1" }, { a: "0" }]);
  });

  test("what is not UTF-8 is ISO-8859-1", async () => {
    const bytes = new Uint8Array([0x61, 0x3d, 0x67, 0x72, 0xfc, 0xdf, 0x65]);
    const file = { bytes };
    const files = { at: async () => ({ location: "file:/x/", revision: undefined, names: new Set(["app.properties"]), read: async () => file }) };
    const response = await configInstance({ files }).call("/app/default");
    expect(((await response.json()) as Environment).propertySources[0]?.source).toEqual({ a: "grüße" });
  });
});

describe("what a document says it is for decides", () => {
  const file = (expression: string) => ({ "app.yml": `a: 1\n---\nspring.config.activate.on-profile: ${expression}\nb: 2\n` });

  test.for<[string, string, boolean]>([
    ['"dev"', "dev", true], ['"!dev"', "dev", false], ['"!!dev"', "dev", true], ['"a & b"', "a,b", true], ['"a & b"', "a", false], ['"a | b"', "b", true],
    ['"(a & b) | c"', "c", true], ['"!(a | b)"', "c", true], ['"!(a | b)"', "a", false], ['"a,b"', "b", true], ["[a, '!b']", "c", true], ["[a, b]", "c", false],
  ])("%s for %s: %s", async ([expression, profiles, isThere]) => {
    expect((await told(file(expression), profiles)).length).toBe(isThere ? 2 : 1);
  });

  test.for(['"a & b | c"', '"(a"', '"a)"', '"&"', '"a &"', '"!"', '"a b"'])("%s is none: the file is named", async (expression) => {
    const response = await sent(file(expression), "/app/default");
    expect({ status: response.status, detail: ((await response.json()) as { detail: string }).detail }).toEqual({ status: 422, detail: expect.stringMatching(/^Cannot read "app\.yml": line 3, column 36: .* is no profile expression$/) });
  });
});

/** Whatever can stand in a file: names that survive flattening, and every kind of value. */
const name = fc.oneof({ weight: 5, arbitrary: fc.stringMatching(/^[A-Za-z_äß/ -]{1,6}$/).filter((text) => text.trim() !== "") }, fc.constantFrom("[c.d]", "[e]"));
const leaf = fc.oneof(fc.string({ unit: "grapheme", maxLength: 12 }), fc.string({ unit: fc.constantFrom("a", " ", "\n", ":", "#", "-", "'", '"', "\\", "\t", "${", "}", "1", "!", "=", "é", "\u0085", "\u0000"), maxLength: 8 }), fc.integer(), fc.boolean(), fc.constantFrom("", "null", "yes", "~", "1e3", "2024-01-01", "<<", "=", "- a", "0x1f", "{a}", "[a]", "|", "a: b", "%x", "@", "...", "---"));
const { tree } = fc.letrec((tie) => ({
  tree: fc.dictionary(name, fc.oneof({ depthSize: "small" }, leaf, tie("tree"), fc.array(fc.oneof(leaf, tie("tree")), { minLength: 1, maxLength: 3 })), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
}));

test("flattened and taken apart again, what is told is what it was, in every format", async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (value) => {
      const text = JSON.stringify(value);
      // A control character or a lone surrogate.
      fc.pre(!text.includes("\\u"));
      const [source = {}] = await told({ "app.json": text });
      const again = async (extension: string) => (await told({ [`app.${extension}`]: await fileOf({ "app.json": text }, `/app-x.${extension}?resolvePlaceholders=false`) }))[0] ?? {};
      expect(sorted(await again("json"))).toEqual(sorted(source));
      expect(sorted(await again("yml"))).toEqual(sorted(source));
      const texts = Object.fromEntries(Object.entries(source).map(([key, inner]) => [key, String(inner)]));
      expect(sorted(await again("properties"))).toEqual(sorted(texts));
    }),
    { numRuns: 150 },
  );
});

function sorted(source: Record<string, unknown>): [string, unknown][] {
  return Object.entries(source).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
