import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { type AdminPlatform, adminPlatform, auditOf } from "./instance.ts";

let platform: AdminPlatform;
beforeAll(async () => {
  platform = await adminPlatform();
});
afterAll(() => platform.close());

const PATH = "/api/admin/vault-secrets";
const entries = (values: Record<string, unknown>) => Object.entries(values).map(([key, secret]) => ({ key, secret }));
const write = (method: "POST" | "PUT", service: string, values: Record<string, unknown>, on: Pick<AdminPlatform, "call"> = platform) =>
  on.call(method, PATH, { json: { service, secrets: entries(values) } });
const read = (service: string) => platform.call("GET", `${PATH}?service=${service}`);
const readValues = async (service: string) => (await (await read(service)).json()) as Record<string, unknown>;
const done = (code: string, message: string) => ({ status: 200, body: { responseCode: code, responseMessage: message } });
const shown = async (response: Response) => ({ status: response.status, body: (await response.json()) as unknown });

/** With all the rights the store knows: to look, and to do what others may. */
async function behind(method: string, path: string, body?: unknown) {
  const headers = { "x-vault-token": await platform.storeToken(), "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  return platform.systems.secrets(new Request(`${platform.secretsUrl}/v1${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }));
}

async function versionOf(service: string): Promise<number> {
  const answer = (await (await behind("GET", `/secret/data/platform/${service}/dev`)).json()) as { data: { metadata: { version: number } } };
  return answer.data.metadata.version;
}

test("fifty entries in one call are all readable, as one version, and what was there stays", async () => {
  const values = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key.${index}`, `value-${index}`]));
  expect(await shown(await write("POST", "order-service", values))).toEqual(done("VAULT_SECRET_CREATED_200", "Secrets written"));
  const response = await read("order-service");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await shown(response)).toEqual({ status: 200, body: values });
  expect(await versionOf("order-service")).toBe(1);

  expect((await write("POST", "order-service", { "key.0": "changed", added: "one more" })).status).toBe(200);
  expect(await readValues("order-service")).toEqual({ ...values, "key.0": "changed", added: "one more" });
  expect(await versionOf("order-service")).toBe(2);
});

test("a patch merges the given keys, and is refused where there is nothing", async () => {
  expect(await problemOf(await write("PUT", "patched-service", { a: "1" }))).toEqual({ status: 404, code: "VAULT_SECRET_NOT_FOUND_404" });
  expect(await problemOf(await read("patched-service"))).toEqual({ status: 404, code: "VAULT_SECRET_NOT_FOUND_404" });
  await write("POST", "patched-service", { a: "1", b: "2" });
  expect(await shown(await write("PUT", "patched-service", { b: "3", c: "4" }))).toEqual(done("VAULT_SECRET_UPDATED_200", "Secrets changed"));
  expect(await readValues("patched-service")).toEqual({ a: "1", b: "3", c: "4" });
});

test("twenty writers at once on one service lose nothing, from its first document on", async () => {
  const instances = [platform, platform.adminInstance(), platform.adminInstance()];
  let again = 0;
  // On a machine that is busy the store may be late: as any caller would, the writer then tries again.
  const writer = async (values: Record<string, string>, index: number): Promise<number> => {
    const { status } = await write("POST", "busy-service", values, instances[index % 3]);
    if (status < 503 || again > 20) return status;
    again += 1;
    return writer(values, index);
  };
  for (const round of [1, 2]) {
    const writers = Array.from({ length: 20 }, (_, index) => writer({ [`r${round}.w${index}.a`]: "x", [`r${round}.w${index}.b`]: "y" }, index));
    expect(await Promise.all(writers)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(Object.keys(await readValues("busy-service"))).toHaveLength(40 * round);
    const version = await versionOf("busy-service");
    expect(version).toBeGreaterThanOrEqual(20 * round);
    expect(version).toBeLessThanOrEqual(20 * round + again);
  }
});

test("a writer that was overtaken when it found nothing merges into what the other wrote", async () => {
  let isFirst = true;
  const overtaken = platform.adminInstance({
    secrets: async (request, pass) => {
      const answer = await pass(request);
      // Between its patch, which finds nothing, and its put.
      if (request.method !== "PATCH" || !isFirst) return answer;
      isFirst = false;
      expect((await write("POST", "overtaken-service", { other: "theirs" })).status).toBe(200);
      return answer;
    },
  });
  expect((await write("POST", "overtaken-service", { mine: "ours" }, overtaken)).status).toBe(200);
  expect(await readValues("overtaken-service")).toEqual({ other: "theirs", mine: "ours" });
});

test("a document that others deleted without its versions is written anew, and a conflict without end is told", async () => {
  await write("POST", "deleted-service", { old: "1" });
  expect((await behind("DELETE", "/secret/data/platform/deleted-service/dev")).status).toBe(204);
  expect((await problemOf(await read("deleted-service"))).code).toBe("VAULT_SECRET_NOT_FOUND_404");
  expect((await problemOf(await write("PUT", "deleted-service", { a: "1" }))).code).toBe("VAULT_SECRET_NOT_FOUND_404");
  expect((await write("POST", "deleted-service", { fresh: "2" })).status).toBe(200);
  expect(await readValues("deleted-service")).toEqual({ fresh: "2" });

  let puts = 0;
  const conflicting = platform.adminInstance({
    secrets: (request, pass) => {
      if (request.method !== "POST" || !request.url.includes("/secret/data/")) return pass(request);
      puts += 1;
      return Response.json({ errors: ["check-and-set parameter did not match the current version"] }, { status: 400 });
    },
  });
  expect(await problemOf(await write("POST", "conflicting-service", { a: "1" }, conflicting))).toEqual({ status: 409, code: "VAULT_SECRET_CONFLICT_409" });
  expect(puts).toBe(8);
});

test("deleting removes all versions, and nothing else", async () => {
  await write("POST", "doomed-service", { a: "1" });
  await write("PUT", "doomed-service", { a: "2" });
  await write("POST", "spared-service", { a: "1" });
  expect(await shown(await platform.call("DELETE", `${PATH}?service=doomed-service`))).toEqual(done("VAULT_SECRET_DELETED_200", "Secrets deleted"));
  expect((await read("doomed-service")).status).toBe(404);
  expect((await behind("GET", "/secret/data/platform/doomed-service/dev?version=1")).status).toBe(404);
  expect(await readValues("spared-service")).toEqual({ a: "1" });
  // Repeated, it is answered alike; a new document begins at version 1.
  expect((await platform.call("DELETE", `${PATH}?service=doomed-service`)).status).toBe(200);
  await write("POST", "doomed-service", { b: "1" });
  expect({ values: await readValues("doomed-service"), version: await versionOf("doomed-service") }).toEqual({ values: { b: "1" }, version: 1 });
});

test("a hundred entries and values of 32 KiB fit, keys may be any printing text, and all come back as they were", async () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`spring.datasource[${index}].password`, "s".repeat(500)]));
  expect((await write("POST", "large-service", many)).status).toBe(200);
  expect((await write("PUT", "large-service", { certificate: "k".repeat(32 * 1024) })).status).toBe(200);
  const odd = { "a b": "1", "ключ": "значение", "🔑": "🔒", "a/b": "", "constructor": "x", "toString": "y", "quote\"": "line\nbreak\t", "<&>": "<&>" };
  expect((await write("PUT", "large-service", odd)).status).toBe(200);
  expect(await readValues("large-service")).toEqual({ ...many, certificate: "k".repeat(32 * 1024), ...odd });
});

test("what cannot be kept as it was sent is refused with every failing field, and nothing is sent", async () => {
  const sent = await platform.sentBy(async () => {
    const refused: [secrets: unknown, fields: string[]][] = [
      [[], ["secrets"]],
      [undefined, ["secrets"]],
      [Array.from({ length: 101 }, (_, index) => ({ key: `k${index}`, secret: "v" })), ["secrets"]],
      [[{ key: "a", secret: null }], ["secrets.0.secret"]],
      [[{ key: "a", secret: { b: 1 } }, { key: "", secret: 1 }], ["secrets.0.secret", "secrets.1.key", "secrets.1.secret"]],
      [[{ key: "a" }, { secret: "b" }], ["secrets.0.secret", "secrets.1.key"]],
      [[{ key: "a", secret: "1" }, { key: "a", secret: "2" }], ["secrets"]],
      [[{ key: " a", secret: "1" }, { key: "a\tb", secret: "1" }, { key: "__proto__", secret: "1" }, { key: "k".repeat(256), secret: "1" }], ["secrets.0.key", "secrets.1.key", "secrets.2.key", "secrets.3.key"]],
      [[{ key: "a", secret: "v".repeat(32 * 1024 + 1) }, { key: "b", secret: "é".repeat(16 * 1024 + 1).slice(0, 10_000) }], ["secrets.0.secret"]],
      [[{ key: "a", secret: "€".repeat(11_000) }], ["secrets.0.secret"]],
    ];
    for (const [secrets, fields] of refused) {
      for (const method of ["POST", "PUT"]) {
        const refusal = await problemOf(await platform.call(method, PATH, { json: { service: "order-service", secrets } }));
        expect(refusal).toEqual({ status: 400, code: "VALIDATION_FAILED_400", fields });
      }
    }
  });
  expect(sent).toEqual([]);
});

test("a value is in no event, log or error, whatever the store says", async () => {
  const canary = "canary-6f1c7e0b";
  await write("POST", "quiet-service", { a: canary });
  await read("quiet-service");
  await write("PUT", "quiet-service", { a: canary });
  await platform.call("POST", PATH, { json: { service: "quiet-service", secrets: [{ key: "a", secret: canary }, { key: "a", secret: canary }] } });
  await platform.call("POST", PATH, { json: { service: "quiet-service", secrets: [{ key: "a", secret: [canary] }] } });
  const echoing = platform.adminInstance({ secrets: async (request, pass) => (request.url.includes("/secret/") ? Response.json({ errors: [`failed: ${await request.text()} ${canary}`] }, { status: 500 }) : pass(request)) });
  const answers = [await write("POST", "quiet-service", { a: canary }, echoing), await write("PUT", "quiet-service", { a: canary }, echoing), await echoing.call("GET", `${PATH}?service=quiet-service`)];
  for (const answer of answers) expect(await answer.clone().text()).not.toContain(canary);
  for (const answer of answers) expect((await problemOf(answer)).code).toBe("UPSTREAM_BAD_ANSWER_502");
  const rows = await platform.database.query("SELECT o::text AS row FROM events.outbox o UNION ALL SELECT d::text FROM secrets.versions d");
  expect(JSON.stringify([rows, platform.log])).not.toContain(canary);
  expect((await auditOf(platform, "secrets/quiet-service")).map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
    "createSecrets succeeded",
    "getSecrets succeeded",
    "updateSecrets succeeded",
    "createSecrets failed",
    "updateSecrets failed",
    "getSecrets failed",
  ]);
});
