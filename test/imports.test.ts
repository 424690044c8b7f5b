import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SERVICES = ["gateway", "auth", "users", "admin", "discovery", "config"];

type Import = { from: string; to: string; isType: boolean };

/** Every import of `src/` and `workers/`; a path is relative to the root, anything else the name of a package. */
const imports: Import[] = ["src", "workers"].flatMap((folder) => filesBelow(folder)).flatMap(importsOf);

function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return entries.filter((name) => name.endsWith(".ts")).map((name) => join(folder, name));
}

function importsOf(from: string): Import[] {
  const text = readFileSync(join(ROOT, from), "utf8");
  return [...text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"/gm)].map(([, type, target, bare]) => {
    const to = target ?? bare ?? "";
    return { from, to: to.startsWith(".") ? relative(ROOT, resolve(ROOT, dirname(from), to)) : to, isType: type !== undefined };
  });
}

function broken(isBroken: (found: Import) => boolean): string[] {
  return imports.filter(isBroken).map(({ from, to }) => `${from} imports ${to}`);
}

function serviceOf(path: string): string | undefined {
  return SERVICES.find((service) => path.startsWith(`src/${service}/`));
}

test("sources name no runtime", () => {
  expect(broken(({ from, to }) => from.startsWith("src/") && /^(node:|cloudflare:|bun:|jsr:|npm:|https?:|process$|fs$|path$)/.test(to))).toEqual([]);
});

test("a service never imports another service", () => {
  const crossing = ({ from, to }: Import) => serviceOf(from) !== undefined && serviceOf(to) !== undefined && serviceOf(from) !== serviceOf(to);
  expect(broken(crossing)).toEqual([]);
});

test("only the workers reach the embedded servers and the drivers", () => {
  const isBehindTheWire = (path: string) => /^src\/[a-z]+\/((embedded|bridge)[/.]|rest\/)|^src\/database\/(endpoint|pglite|postgres|run|wire)\.ts|^src\/redis\//.test(path);
  const isDriver = (name: string) => /^(pg|kafkajs|@redis\/client|@electric-sql\/.*)$/.test(name);
  const mayReach = (path: string) => path.startsWith("workers/") || isBehindTheWire(path);
  expect(broken(({ from, to }) => (isBehindTheWire(to) || isDriver(to)) && !mayReach(from))).toEqual([]);
});

test("what is in src never imports a worker", () => {
  expect(broken(({ from, to }) => from.startsWith("src/") && to.startsWith("workers/"))).toEqual([]);
});

test("SQL is in stores and tables", () => {
  const mayQuery = (path: string) => /(^|[/-])(store|tables)\.ts$|\/store\/|^src\/database\/|^workers\//.test(path);
  expect(broken(({ from, to, isType }) => /^(drizzle-orm|@neondatabase)/.test(to) && !isType && !mayQuery(from))).toEqual([]);
});

test("files of rules import neither Hono nor a store's driver", () => {
  const isEdge = (path: string) => /\/(app|routes|schema)\.ts$/.test(path) || /(^|[/-])(store|tables)\.ts$/.test(path);
  const isRule = ({ from }: Import) => ["users", "auth", "admin"].includes(serviceOf(from) ?? "") && !isEdge(from);
  expect(broken((found) => isRule(found) && /^(hono|@hono|drizzle-orm)/.test(found.to) && !found.isType)).toEqual([]);
});

test("no file is imported in a circle", () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: string[]) => {
    if (way.includes(file)) return void circles.push([...way.slice(way.indexOf(file)), file].join(" -> "));
    if (done.has(file)) return;
    for (const { to } of imports.filter(({ from, isType }) => from === file && !isType)) visit(to, [...way, file]);
    done.add(file);
  };
  for (const { from } of imports) visit(from, []);
  expect(circles).toEqual([]);
});
