import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { instructionsOf, wordsOf } from "./containerfile.ts";

const ROOT = new URL("../../", import.meta.url);
const packages = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8")) as Record<"dependencies" | "optionalDependencies", Record<string, string>>;
const node = packages.dependencies["node"];
const deno = packages.optionalDependencies["@deno/linux-x64-glibc"];
const images: Record<string, string[]> = {
  node: [`node:${node}-slim`, `node:${node}-slim`],
  deno: [`node:${node}-slim`, `denoland/deno:${deno}`],
  keycloak: ["keycloak/keycloak:26.7.3"],
};

describe.each(Object.keys(images))("containers/%s.Containerfile", (name) => {
  const all = instructionsOf(name);
  const last = all.slice(all.findLastIndex(({ keyword }) => keyword === "FROM"));
  const every = (keyword: string, of = last) => of.filter((instruction) => instruction.keyword === keyword).map(({ rest }) => rest);

  it("begins from exact versions, those of package.json", () => {
    expect(every("FROM", all).map((from) => from.split(" ")[0])).toEqual(images[name]);
  });

  it("ends as a plain user", () => {
    expect(every("USER")).toEqual([name === "keycloak" ? "1000:0" : "1000:1000"]);
    expect(last.slice(last.findIndex(({ keyword }) => keyword === "USER") + 1).filter(({ keyword }) => ["RUN", "COPY", "ADD"].includes(keyword))).toEqual([]);
  });

  it("takes no secret with it, by a setting or by an argument", () => {
    expect([...every("ENV", all), ...every("ARG", all)].filter((one) => /PASSWORD|SECRET|TOKEN|KEY/i.test(one))).toEqual([]);
    expect(every("ADD", all)).toEqual([]);
  });
});

describe.each(["node", "deno"])("the platform on %s", (name) => {
  const all = instructionsOf(name);
  const copied = all.filter(({ keyword, rest }) => keyword === "COPY" && !rest.startsWith("--from")).flatMap(({ rest }) => rest.split(" ").slice(0, -1));

  it("copies what there is, name by name, and nothing is sent along besides", () => {
    for (const path of copied) expect([path, existsSync(new URL(path, ROOT))]).toEqual([path, true]);
    const ignored = readFileSync(new URL(".dockerignore", ROOT), "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(ignored[0]).toBe("*");
    const sent = ignored.slice(1).map((line) => line.replace(/^!/, ""));
    expect(sent.filter((path) => !copied.includes(path) && path !== "containers" && path !== "deno.json")).toEqual([]);
    expect(copied.filter((path) => !sent.includes(path))).toEqual([]);
  });

  it("installs what the lock file says, without what is for development, and runs no script of a package", () => {
    const install = all.find(({ keyword, rest }) => keyword === "RUN" && rest.includes("npm "));
    expect(install?.rest).toBe("npm ci --omit=dev --omit=optional --ignore-scripts");
  });

  it("says that it is alive by asking the gateway", () => {
    expect(wordsOf(name, "HEALTHCHECK")).toEqual([name, name === "node" ? "-e" : "eval", expect.stringContaining("/actuator/health/liveness")]);
  });

  it("keeps what it has to keep in one volume, of its own user", () => {
    expect(all.find(({ keyword }) => keyword === "VOLUME")?.rest).toBe("/data");
    expect(all.some(({ rest }) => rest === "install -d -o 1000 -g 1000 -m 0700 /data")).toBe(true);
  });
});
