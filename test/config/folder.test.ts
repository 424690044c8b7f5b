import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SettingsError } from "../../src/env.ts";
import { openConfigFiles } from "../../workers/config-files.ts";
import { problemOf } from "../http/problem.ts";
import { type ConfigInstance, configInstance } from "./instance.ts";
import { temporaryFolder } from "./repository.ts";

let root: string;
let outside: string;
let call: ConfigInstance["call"];
const folders: { remove: () => void }[] = [];
beforeEach(async () => {
  const [inner, outer] = [temporaryFolder(), temporaryFolder()];
  folders.push(inner, outer);
  [root, outside] = [inner.root, outer.root];
  write("application.yml", "a: 1\n");
  writeFileSync(join(outside, "secret.yml"), "secret: outside\n");
  call = configInstance({ files: await openConfigFiles(root) }).call;
});
afterEach(() => {
  for (const { remove } of folders.splice(0)) remove();
});

function write(name: string, content: string | Uint8Array): void {
  writeFileSync(join(root, name), content);
}

async function sources(path: string): Promise<unknown[]> {
  const response = await call(path);
  expect(response.status).toBe(200);
  return ((await response.json()) as { propertySources: { source: unknown }[] }).propertySources.map(({ source }) => source);
}

test("a file is read again when it has changed, at once, also when nothing but its content did", async () => {
  for (const value of [1, 2, 3, 4, 5]) {
    write("application.yml", `a: ${value}\n`);
    expect(await sources("/app/default")).toEqual([{ a: value }]);
  }
  write("app.yml", "b: new\n");
  expect(await sources("/app/default")).toEqual([{ b: "new" }, { a: 5 }]);
  rmSync(join(root, "app.yml"));
  expect(await sources("/app/default")).toEqual([{ a: 5 }]);
});

test("a file that is broken, and mended, is served again", async () => {
  write("app.yml", "a: [\n");
  expect((await call("/app/default")).status).toBe(422);
  expect((await call("/other/default")).status).toBe(200);
  write("app.yml", "a: []\n");
  expect(await sources("/app/default")).toEqual([{ a: "" }, { a: 1 }]);
});

test("links that lead out of the folder are not followed", async () => {
  symlinkSync(join(outside, "secret.yml"), join(root, "app.yml"));
  symlinkSync(outside, join(root, "folder"));
  symlinkSync("/etc/passwd", join(root, "passwd"));
  symlinkSync("nowhere", join(root, "dangling.yml"));
  symlinkSync("loop.yml", join(root, "loop.yml"));
  expect(await sources("/app/default")).toEqual([{ a: 1 }]);
  for (const path of ["folder/secret.yml", "passwd", "dangling.yml", "loop.yml", "app.yml"]) {
    expect(await problemOf(await call(`/app/default/main/${path}`))).toEqual({ status: 404, code: "NOT_FOUND_404" });
  }
});

test("links inside are, as in a volume that Kubernetes mounts", async () => {
  mkdirSync(join(root, "..2026_11_21"));
  write("..2026_11_21/app.yml", "mounted: yes\n");
  symlinkSync("..2026_11_21", join(root, "..data"));
  symlinkSync("..data/app.yml", join(root, "app.yml"));
  expect(await sources("/app/default")).toEqual([{ mounted: true }, { a: 1 }]);
});

test("nothing hidden is served", async () => {
  mkdirSync(join(root, ".ssh"));
  write(".ssh/config", "hidden\n");
  write(".env", "hidden\n");
  for (const path of [".env", ".ssh/config"]) expect((await call(`/app/default/main/${path}`)).status).toBe(404);
});

test("a file beyond a mebibyte is named where it is selected, one of a mebibyte is served", async () => {
  write("app.yml", `# ${"x".repeat(1024 * 1024 - 8)}\na: 2`);
  write("big.yml", `# ${"x".repeat(1024 * 1024)}\na: 2`);
  write("big.txt", new Uint8Array(1024 * 1024 + 1));
  expect(await sources("/app/default")).toEqual([{ a: 2 }, { a: 1 }]);
  expect(await problemOf(await call("/big/default"))).toEqual({ status: 422, code: "CONFIG_FILE_INVALID_422", fields: ["big.yml"] });
  expect(await problemOf(await call("/app/default/main/big.txt"))).toEqual({ status: 422, code: "CONFIG_FILE_INVALID_422", fields: ["big.txt"] });
});

test("bytes come as they are for who accepts them, and whole", async () => {
  const bytes = new Uint8Array([0, 0xff, 0xfe, 0x24, 0x7b, 0x61, 0x7d]);
  write("logo.bin", bytes);
  const response = await call("/app/default/main/logo.bin", { headers: { accept: "application/octet-stream" } });
  expect(response.headers.get("content-type")).toBe("application/octet-stream");
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
});

test("a folder that may not be read, such as lost+found, is left out", async () => {
  chmodSync(root, 0o755);
  for (const name of ["lost+found", "readable"]) {
    mkdirSync(join(root, name));
    write(`${name}/plain.txt`, "text\n");
  }
  symlinkSync("lost+found/plain.txt", join(root, "link.txt"));
  chmodSync(join(root, "lost+found"), 0);
  // Whoever may read everything, as root, gives that up for somebody else.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const script = `
    import { openConfigFiles } from ${JSON.stringify(new URL("../../workers/config-files.ts", import.meta.url).href)};
    const { names } = await (await openConfigFiles(${JSON.stringify(root)})).at(undefined);
    console.log(JSON.stringify([...names].sort()));`;
  const told = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { ...user, cwd: "/", encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  chmodSync(join(root, "lost+found"), 0o700);
  expect(JSON.parse(told)).toEqual(["application.yml", "readable/plain.txt"]);
});

test("a file that goes between listing and reading is named, and the next answer does without it", async () => {
  const files = await openConfigFiles(root);
  write("app.yml", "b: new\n");
  let isRacing = true;
  const at = async (label: string | undefined) => {
    const snapshot = await files.at(label);
    if (isRacing) rmSync(join(root, "app.yml"));
    return snapshot;
  };
  const racing = configInstance({ files: { at } }).call;
  expect(await problemOf(await racing("/app/default"))).toEqual({ status: 422, code: "CONFIG_FILE_INVALID_422", fields: ["app.yml"] });
  isRacing = false;
  expect((await racing("/app/default")).status).toBe(200);
});

test("without its folder, it tells nobody that there is nothing", async () => {
  rmSync(root, { recursive: true });
  expect(await problemOf(await call("/app/default"))).toEqual({ status: 503, code: "UPSTREAM_UNAVAILABLE_503" });
});

test("a folder of more than a thousand files is refused, not read", async () => {
  for (let index = 0; index < 1001; index += 1) write(`file-${index}.txt`, "");
  expect(await problemOf(await call("/app/default"))).toEqual({ status: 422, code: "CONFIG_TOO_LARGE_422" });
});

test.for(["nowhere", "application.yml"])("a start with %s for the folder is refused, and says so", async (name) => {
  const refused = openConfigFiles(join(root, name));
  await expect(refused).rejects.toThrow(SettingsError);
  await expect(refused).rejects.toThrow(`Cannot read the configuration in "${join(root, name)}"`);
});
