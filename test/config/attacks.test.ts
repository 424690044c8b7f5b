import { describe, expect, test } from "vitest";
import { bundledFiles } from "../../src/config/files.ts";
import { problemOf } from "../http/problem.ts";
import { configInstance } from "./instance.ts";

const SHARED = { "application.yml": "shared: here\n" };

function on(files: Record<string, string>) {
  return configInstance({ files: bundledFiles({ ...SHARED, ...files }) }).call;
}

async function refusal(files: Record<string, string>, path: string): Promise<string> {
  return (await problemOf(await on(files)(path))).code;
}

const laughs = (levels: number) => ["a0: &a0 [x]", ...Array.from({ length: levels }, (_, level) => `a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`).join(", ")}]`)].join("\n");
const merges = (levels: number) => ["a0: &a0 {k: v}", ...Array.from({ length: levels }, (_, level) => `a${level + 1}: &a${level + 1} { <<: [${Array(9).fill(`*a${level}`).join(", ")}] }`)].join("\n");

describe("a file that is made to hurt is named, and the others are served", () => {
  test.for<[string, string]>([
    ["aliases of aliases of aliases", laughs(9)],
    ["maps merged out of maps", merges(9)],
    ["an alias inside itself", "a: &a { b: *a }\n"],
    ["a merge of itself", "a: &a\n  <<: *a\n"],
    ["a long text, many times", `a: &a ${"x".repeat(500_000)}\nb: [${Array(50).fill("*a").join(", ")}]\n`],
    ["a hundred thousand brackets", "[".repeat(100_000)],
    ["a hundred levels", `a: ${"[".repeat(100)}${"]".repeat(100)}\n`],
    ["names that grow with each level", Array.from({ length: 60 }, (_, level) => `${" ".repeat(level)}${"n".repeat(50)}:`).join("\n")],
    ["sixty thousand values", Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join("\n")],
    ["sixty thousand documents", "---\na: 1\n".repeat(60_000)],
    ["a control character", "a: 1\n\u0001: 2\n"],
    ["a tag that makes objects", "a: !!javax.script.ScriptEngineManager [x]\n"],
    ["a map that is an object of a class", "a: !!javax.script.ScriptEngineManager {}\n"],
    ["a list for a key", "? [a]\n: 1\n"],
    ["a wrong number", "a: !!int x\n"],
    ["an alias of nothing", "a: *b\n"],
  ])("%s", async ([, text]) => {
    const call = on({ "app.yml": text });
    const response = await call("/app/default");
    const { detail } = (await response.clone().json()) as { detail: string };
    expect({ ...(await problemOf(response)), detail }).toEqual({ status: 422, code: "CONFIG_FILE_INVALID_422", fields: [expect.stringMatching(/^app\.yml/)], detail: expect.stringMatching(/^Cannot read "app\.yml": /) });
    expect((await call("/other/default")).status).toBe(200);
  });

  test.for<[string, string, string]>([
    ["app.json", '{"a": 1,\n "b": }', "app.json:2:7"],
    ["app.json", '{"a": 1', "app.json:1:8"],
    ["app.json", "{a: 1}", "app.json:1:2"],
    ["app.json", '{"a": 1, "a": 2}', "app.json:1:10"],
    ["app.properties", "a=1\nb=\\u12x4\n", "app.properties:2:3"],
    ["app.yml", "a: 1\n---\nb:\n\t- c\n", "app.yml:4:1"],
    ["app-dev.yaml", "a: 'x\n", "app-dev.yaml:2:1"],
  ])("%s with %j is named with its line", async ([name, text, place]) => {
    expect(await problemOf(await on({ [name]: text })("/app/dev"))).toEqual({ status: 422, code: "CONFIG_FILE_INVALID_422", fields: [place] });
  });

  test("it is read no second time: what is wrong stays wrong until the file changes", async () => {
    const call = on({ "app.yml": laughs(9) });
    for (let time = 0; time < 50; time += 1) expect((await call("/app/default")).status).toBe(422);
  });

  test("forty-five thousand keys take a time that does not grow with their square", async () => {
    const call = on({ "app.yml": Array.from({ length: 45_000 }, (_, index) => `k${index}: v`).join("\n") });
    expect((await call("/app/default")).status).toBe(200);
  });

  test("so do ten thousand aliases", async () => {
    const call = on({ "app.yml": `a: &a x\nlist:\n${"- y\n- *a\n".repeat(10_000)}` });
    expect((await call("/app/default")).status).toBe(200);
  });
});

describe("one long value costs no more than its length", () => {
  test("of backslashes", async () => {
    const call = on({ "app.properties": `a=${"\\".repeat(80_000)}x\\\n  y\\\\\nb=z\n` });
    expect(await (await call("/app/default")).json()).toMatchObject({ propertySources: [{ source: { a: `${"\\".repeat(40_000)}xy\\`, b: "z" } }, {}] });
  }, 5000);

  test.for<[string, string]>([["of minutes and seconds", `1${":1".repeat(200_000)}`], ["of digits", "9".repeat(400_000)]])("%s", { timeout: 5000 }, async ([, text]) => {
    const response = await on({ "app.yml": `a: ${text}\n` })("/app/default");
    expect(await response.json()).toMatchObject({ propertySources: [{ source: { a: text } }, {}] });
  });

  test("and a number of more than four hundred characters stays text, however it is written", async () => {
    const [number, text] = ["9".repeat(400), "9".repeat(401)];
    const written = await (await on({ "app.yml": `a: ${number}\nb: ${text}\n` })("/app-x.yml")).text();
    expect(written).toContain(`a: ${number}\n`);
    expect(written).toMatch(/b: ['"]9/);
    expect(await (await on({ "app.yml": `a: ${number}\nb: ${text}\n` })("/app-x.json")).text()).toContain(`"a":${number},"b":"${text}"`);
  });
});

describe("what would grow beyond bounds is refused", () => {
  test.for<[string, string, string]>([
    ["placeholders that double", Array.from({ length: 40 }, (_, index) => `k${index}: \${k${index + 1}}\${k${index + 1}}`).join("\n") + "\nk40: xxxxxxxx\n", "CONFIG_NOT_CONVERTIBLE_400"],
    ["a chain of placeholders", Array.from({ length: 200 }, (_, index) => `k${index}: \${k${index + 1}}`).join("\n"), "CONFIG_NOT_CONVERTIBLE_400"],
    ["placeholders in placeholders", `a: "${"${a".repeat(50)}${"}".repeat(50)}"\n`, "CONFIG_NOT_CONVERTIBLE_400"],
    ["a placeholder that leads to itself", "a: ${b}\nb: ${c:x}\nc: ${a}\n", "CONFIG_NOT_CONVERTIBLE_400"],
    ["a list with a far end", "'l[999999999]': x\n", "CONFIG_NOT_CONVERTIBLE_400"],
    ["a list that is a map", "l: [a]\n'l.x': b\n'l[0].y': c\nm: { 7: a, x: b }\n", "CONFIG_NOT_CONVERTIBLE_400"],
    ["a name of many levels", `${"a.".repeat(200)}a: 1\n`, "CONFIG_NOT_CONVERTIBLE_400"],
  ])("%s", async ([, text, code]) => {
    expect(await refusal({ "app.yml": text }, "/app-x.yml")).toBe(code);
    expect((await on({ "app.yml": text })("/app/x")).status).toBe(200);
  });

  test("unclosed placeholders in a plain file cost no more than the file", async () => {
    const response = await on({ "big.txt": "${a".repeat(300_000) })("/app/x/main/big.txt");
    expect(await problemOf(response)).toEqual({ status: 400, code: "CONFIG_NOT_CONVERTIBLE_400" });
    expect((await on({ "big.txt": "}".repeat(10) + "${a:b".repeat(20) })("/app/x/main/big.txt")).status).toBe(200);
  });

  test("all files together", async () => {
    const files = Object.fromEntries(["yml", "yaml", "properties"].map((extension) => [`app.${extension}`, `a${extension}: ${"x".repeat(500_000)}\n`]));
    expect(await refusal(files, "/app/default")).toBe("CONFIG_TOO_LARGE_422");
    expect((await on(files)("/other/default")).status).toBe(200);
  });

  test("an answer that escapes make longer than it was", async () => {
    expect(await refusal({ "app.properties": `a=${"\u0001".repeat(250_000)}` }, "/app/default")).toBe("CONFIG_TOO_LARGE_422");
  });
});

describe("what is asked for leads nowhere else", () => {
  const files = { "team/sub.yml": "where: team\n", "plain.txt": "text\n", "folder/plain.txt": "inner\n" };

  test.for([
    "/../etc/passwd", "/app/../../etc", "/app/dev/..", "/app/dev/./main", "/%2e%2e/x", "/app/.%2E/x", "/app/dev/main/../../x", "/app/dev/main/%2e/plain.txt",
    "/app\\x/dev", "/app%5Cx/dev", "/app%5cx/dev", "/app%2Fx/dev", "/app%2fx/dev", "/app/dev/a%2Fb", "/app/dev/main/a%2fb", "/app%00/dev", "/app#x/dev",
    "/..(_)x/dev", "/a(_)..(_)b/dev", "/(_)x/dev", "/x(_)/dev", "/a(_)(_)b/dev", "/./dev", "/.git/dev", "/-x/dev", "/app-/dev", "/a..b/dev", "/app/a(_)b", "/app/..x",
    "/app%zz/dev", "/app%20/dev", "/app%0a/dev", "/~/dev", "/app:x/dev", `/${"a".repeat(129)}/dev`, `/app/${"a".repeat(129)}`, "/a,/dev", "/,/dev", "/app/dev,",
    `/${Array.from({ length: 9 }, (_, index) => `a${index}`).join(",")}/dev`, `/app/${Array.from({ length: 17 }, (_, index) => `p${index}`).join(",")}`,
    "/app/dev/-x", "/app/dev/--upload-pack=touch", "/app/dev/HEAD~1", "/app/dev/HEAD^", "/app/dev/main:secret.yml", "/app/dev/main@%7B1%7D", "/app/dev/a..b", "/app/dev/..(_)x",
    "/app/dev/refs(_)heads(_)..(_)x", "/app/dev/.git", "/app/dev/x.lock", "/app/dev/a%20b", "/app/dev/a%3Fb", "/app/dev/a*", "/app/dev/%5Bab%5D", `/app/dev/${"a".repeat(201)}`, "/-x/app-dev.yml", "/..(_)x/app-dev.yml", "/..(_)x-dev.yml",
  ])("%s is refused", async (path) => {
    const { status, code } = await problemOf(await on(files)(path));
    expect({ status, code }).toEqual({ status: 400, code: "VALIDATION_FAILED_400" });
  });

  test("all that is wrong is named at once", async () => {
    expect(await problemOf(await on(files)("/a*b/c*d/e*f"))).toEqual({ status: 400, code: "VALIDATION_FAILED_400", fields: ["application", "label", "profiles"] });
  });

  test.for(["/", "/app", "/app/", "/app/dev/", "/app//dev", "//app/dev", "/app.yml", "/app/dev.yml", "/app-dev.YML", "/app-dev.yml/", "/app-dev.toml", "/encrypt", "/decrypt", "/encrypt/status", "/key/x", "/key/app/dev", "/monitor/x", "/actuator/nothing", "/v3/nothing", "/swagger-ui/nothing", "/app/dev/main/nothing.txt", "/app/dev/main/folder", "/app/dev/main/__proto__", "/app/dev/main/constructor", "/app/dev/main/..(_)plain.txt", "/app/dev/main/.hidden"])(
    "there is nothing at %s",
    async (path) => {
      expect(await problemOf(await on(files)(path))).toEqual({ status: 404, code: "NOT_FOUND_404" });
    },
  );

  test.for(["__proto__", "constructor", "toString", "hasOwnProperty"])("an application, a profile and a key may be called %s", async (name) => {
    const call = on({ [`${name}.yml`]: `${name}: 1\nm: { ${name}: { ${name}: 2 } }\n` });
    const text = await (await call(`/${name}/${name}`)).text();
    expect(text).toContain(`"source":{"${name}":1,"m.${name}.${name}":2}`);
    expect(await (await call(`/${name}-${name}.json`)).text()).toBe(`{"shared":"here","${name}":1,"m":{"${name}":{"${name}":2}}}`);
  });

  test("a plain file is served from below the label, and with its profile's variant first", async () => {
    const call = on({ ...files, "plain-dev.txt": "dev\n", "v1/plain.txt": "v1\n" });
    const texts = ["/app/x/main/plain.txt", "/app/dev,x/main/plain.txt", "/app/dev/v1/plain.txt", "/app/x/main/folder/plain.txt", "/app/dev/plain.txt?useDefaultLabel", "/app/x/folder/plain.txt?useDefaultLabel"];
    expect(await Promise.all(texts.map(async (path) => (await call(path)).text()))).toEqual(["text\n", "dev\n", "v1\n", "inner\n", "dev\n", "inner\n"]);
  });
});

test("a value in a file format is never more than a value", async () => {
  const evil = 'x\nadmin: true\n"}]: &a !!js';
  const files = { "app.json": JSON.stringify({ evil, uses: "${evil}", also: "${evil} # y", list: ["${evil}"] }) };
  const expected = { shared: "here", evil, uses: evil, also: `${evil} # y`, list: [evil] };
  expect(await (await on(files)("/app-x.json")).json()).toEqual(expected);
  const again = async (extension: string) => {
    const text = await (await on(files)(`/app-x.${extension}`)).text();
    const { propertySources } = (await (await on({ [`other.${extension}`]: text })("/other/x")).json()) as { propertySources: { source: object }[] };
    return propertySources[0]?.source;
  };
  const flat = { shared: "here", evil, uses: evil, also: `${evil} # y`, "list[0]": evil };
  expect(await again("yml")).toEqual(flat);
  expect(await again("properties")).toEqual(flat);
});
