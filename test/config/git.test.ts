import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { SettingsError } from "../../src/env.ts";
import { openConfigFiles } from "../../workers/config-files.ts";
import { problemOf } from "../http/problem.ts";
import { type ConfigInstance, configInstance } from "./instance.ts";
import { gitIn, temporaryFolder } from "./repository.ts";

type Environment = { label: string | null; version: string | null; state: string | null; propertySources: { name: string; source: Record<string, unknown> }[] };

let root: string;
let git: ReturnType<typeof gitIn>;
let call: ConfigInstance["call"];
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
  root = folder.root;
  git = gitIn(root);
  git("init", "--quiet", "--initial-branch=main");
  commit({ "app.yml": "value: first\n", "folder/plain.txt": "text\n", "big.yml": `# ${"x".repeat(1024 * 1024)}\n` });
  call = configInstance({ files: await openConfigFiles(root) }).call;
});
afterAll(() => folder.remove());

function commit(files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message=Change");
  return git("rev-parse", "HEAD");
}

async function told(path: string): Promise<Environment> {
  const response = await call(path);
  expect(response.status).toBe(200);
  return (await response.json()) as Environment;
}

async function value(path: string): Promise<unknown> {
  return (await told(path)).propertySources[0]?.source["value"];
}

describe("what is committed is served", () => {
  afterEach(() => git("checkout", "--quiet", "--force", "main"));

  test("and what is not yet, is not", async () => {
    const before = git("rev-parse", "HEAD");
    appendFileSync(join(root, "app.yml"), "more: uncommitted\n");
    writeFileSync(join(root, "app-dev.yml"), "new: uncommitted\n");
    expect(await told("/app/dev")).toEqual({ name: "app", profiles: ["dev"], label: null, version: before, state: "", propertySources: [{ name: `file://${root}/app.yml`, source: { value: "first" } }] });
    rmSync(join(root, "app-dev.yml"));
  });

  test("a new commit at once, by its branch, its tag and its id", async () => {
    const first = git("rev-parse", "HEAD");
    const second = commit({ "app.yml": "value: second\n" });
    git("tag", "v2");
    expect(await told("/app/default")).toMatchObject({ version: second });
    expect([await value("/app/default/main"), await value("/app/default/v2"), await value(`/app/default/${second}`), await value(`/app/default/${first.slice(0, 7)}`)]).toEqual(["second", "second", "second", "first"]);
  });

  test("the branch that is checked out, unless another is asked for", async () => {
    git("checkout", "--quiet", "-b", "release/1.0");
    commit({ "app.yml": "value: release\n" });
    expect([await value("/app/default"), await value("/app/default/release(_)1.0"), await value("/app/default/main")]).toEqual(["release", "release", "second"]);
    git("checkout", "--quiet", "--detach", "main");
    expect([await value("/app/default"), await value("/app/default/HEAD")]).toEqual(["second", "second"]);
  });

  test("branches of the remote it was cloned from are labels too", async () => {
    git("update-ref", "refs/remotes/origin/far", "main");
    expect(await value("/app/default/far")).toBe("second");
  });

  test("a plain file at a label, and one that is too large", async () => {
    expect(await (await call("/app/default/main/folder/plain.txt")).text()).toBe("text\n");
    expect(await problemOf(await call("/app/default/unknown/folder/plain.txt"))).toEqual({ status: 404, code: "CONFIG_LABEL_NOT_FOUND_404" });
    expect(await problemOf(await call("/big/default"))).toEqual({ status: 422, code: "CONFIG_FILE_INVALID_422", fields: ["big.yml"] });
  });

  test("a link that was committed is no file", async () => {
    symlinkSync("/etc/passwd", join(root, "link.txt"));
    symlinkSync("app.yml", join(root, "other.yml"));
    commit({});
    expect((await call("/app/default/main/link.txt")).status).toBe(404);
    expect((await told("/other/default")).propertySources).toEqual([]);
  });
});

describe("labels are names", () => {
  test.for(["HEAD~1", "HEAD^", "HEAD@%7B1%7D", "main:app.yml", ":app.yml", "-h", "--help", "--upload-pack=touch%20x", "--exec=x", "a..main", "main...v2", "^main", "@", "!x", "$(x)", "`x`", "a|b", "x.lock", "a%0ab"])(
    "%s is none",
    async (label) => {
      const { status, code } = await problemOf(await call(`/app/default/${label}`));
      expect({ status, code }).toEqual({ status: 400, code: "VALIDATION_FAILED_400" });
    },
  );

  test.for(["unknown", "master", "refs", "heads(_)main", "refs(_)heads(_)main", "origin(_)far", "ORIG_HEAD", "stash", "release", "MAIN", "tags(_)v2", "deadbeef", "0".repeat(40), "abcdef", "v2=x", "main,v2"])(
    "%s is not there",
    async (label) => {
      expect(await problemOf(await call(`/app/default/${label}`))).toEqual({ status: 404, code: "CONFIG_LABEL_NOT_FOUND_404" });
      expect(await problemOf(await call(`/${label}/app-default.yml`))).toEqual({ status: 404, code: "CONFIG_LABEL_NOT_FOUND_404" });
    },
  );

  test("what was taken back is not served by its id", async () => {
    const before = git("rev-parse", "HEAD");
    const leaked = commit({ "app.yml": "value: a password by mistake\n" });
    expect(await value(`/app/default/${leaked}`)).toBe("a password by mistake");
    git("reset", "--quiet", "--hard", before);
    expect((await problemOf(await call(`/app/default/${leaked}`))).status).toBe(404);
    expect((await problemOf(await call(`/app/default/${leaked.slice(0, 10)}`))).status).toBe(404);
  });

  test("three hundred readers at once of what nobody has read yet are all answered", async () => {
    commit({ "app.yml": "value: new\n" });
    const answers = await Promise.all(Array.from({ length: 300 }, () => call("/app/default")));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });
});

test("a checkout that nothing is committed to has no configuration, and says so", async () => {
  const empty = temporaryFolder();
  gitIn(empty.root)("init", "--quiet");
  const instance = configInstance({ files: await openConfigFiles(empty.root) });
  expect((await problemOf(await instance.call("/app/default"))).code).toBe("CONFIG_LABEL_NOT_FOUND_404");
  empty.remove();
});

test("a repository that breaks is a problem for its time, and no longer", async () => {
  const config = join(root, ".git", "config");
  const good = readFileSync(config, "utf8");
  const instance = configInstance({ files: await openConfigFiles(root) });
  writeFileSync(config, "[core\n");
  expect((await problemOf(await instance.call("/app/default"))).code).toBe("UPSTREAM_UNAVAILABLE_503");
  expect(instance.log.map(({ error }) => error).join("\n"), "why is in the log").toContain("fatal: bad config line 1");
  await expect(openConfigFiles(root)).rejects.toThrow(SettingsError);
  writeFileSync(config, good);
  expect((await instance.call("/app/default")).status).toBe(200);
});

test("a start on somebody else's checkout is refused, and what it says to do helps", async () => {
  const { root: other, remove } = temporaryFolder();
  const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  writeFileSync(join(other, "git"), `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec ${real} "$@"\n`, { mode: 0o755 });
  const { PATH, HOME } = process.env;
  Object.assign(process.env, { PATH: `${other}:${PATH}`, HOME: other });
  try {
    const refused = openConfigFiles(root);
    await expect(refused).rejects.toThrow(SettingsError);
    await expect(refused).rejects.toThrow("detected dubious ownership");
    const remedy = /git config .*/.exec(await refused.catch(({ message }: Error) => message) as string)?.[0] ?? "";
    expect(remedy).toBe(`git config --global --add safe.directory "${root}"`);
    execFileSync("sh", ["-c", remedy], { cwd: other });
    expect((await configInstance({ files: await openConfigFiles(root) }).call("/app/default")).status).toBe(200);
  } finally {
    Object.assign(process.env, { PATH, HOME });
    remove();
  }
});

test("what is kept of all commits together is bounded, and what they share is kept once", async () => {
  const { root: large, remove } = temporaryFolder();
  const run = gitIn(large);
  run("init", "--quiet", "--initial-branch=main");
  for (let index = 0; index < 70; index += 1) writeFileSync(join(large, `${index}.txt`), `${index} `.padEnd(1024 * 1024, "x"));
  run("add", "--all");
  run("commit", "--quiet", "--message=First");
  const files = await openConfigFiles(large);
  const first = (await files.at(undefined))!;
  run("commit", "--quiet", "--allow-empty", "--message=Second");
  const second = (await files.at(undefined))!;
  expect(second.revision).not.toBe(first.revision);
  const file = await first.read("0.txt");
  expect(await second.read("0.txt")).toBe(file);
  for (let index = 1; index < 64; index += 1) await first.read(`${index}.txt`);
  const again = await first.read("0.txt");
  expect(again, "the oldest had to go").not.toBe(file);
  for (let index = 64; index < 70; index += 1) {
    await second.read(`${index}.txt`);
    expect(await first.read("0.txt"), "what is asked for stays").toBe(again);
  }
  remove();
});

test("two files with the same content are read by their own names", async () => {
  const { root: twins, remove } = temporaryFolder();
  const run = gitIn(twins);
  run("init", "--quiet", "--initial-branch=main");
  for (const name of ["app.yml", "app.properties"]) writeFileSync(join(twins, name), "a: '1'\n");
  run("add", "--all");
  run("commit", "--quiet", "--message=Twins");
  const { call: ask } = configInstance({ files: await openConfigFiles(twins) });
  expect(await (await ask("/app/default")).json()).toMatchObject({ propertySources: [{ source: { a: "'1'" } }, { source: { a: "1" } }] });
  remove();
});

test("git runs no program that the repository's own configuration names", async () => {
  const trap = join(root, ".git", "sprung");
  const hook = join(root, ".git", "trap.sh");
  writeFileSync(hook, `#!/bin/sh\ntouch ${trap}\n`, { mode: 0o755 });
  for (const name of ["core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "diff.external", "alias.show-ref", "filter.x.smudge", "core.alternateRefsCommand"]) git("config", name, hook);
  writeFileSync(join(root, ".gitattributes"), "* filter=x diff=x\n");
  const again = configInstance({ files: await openConfigFiles(root) });
  expect((await again.call("/app/default")).status).toBe(200);
  expect(existsSync(trap)).toBe(false);
});

test("the folder inside a checkout is a folder: what lies there is served", async () => {
  mkdirSync(join(root, "inner"));
  writeFileSync(join(root, "inner", "app.yml"), "value: not committed\n");
  const inner = configInstance({ files: await openConfigFiles(join(root, "inner")) });
  expect(await (await inner.call("/app/default/anything")).json()).toMatchObject({ version: null, propertySources: [{ source: { value: "not committed" } }] });
});

test("without git, a checkout is a folder", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = join(root, "nowhere");
  try {
    const instance = configInstance({ files: await openConfigFiles(root) });
    expect(await (await instance.call("/app/default/main")).json()).toMatchObject({ version: null, label: "main" });
    expect((await instance.call("/app/default/main/.git/config")).status).toBe(404);
  } finally {
    process.env["PATH"] = path;
  }
});
