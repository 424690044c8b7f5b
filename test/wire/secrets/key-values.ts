import { expect, it } from "vitest";
import { fresh, MERGE_PATCH, type Wire } from "./wire.ts";

const NOTHING = { status: 404, body: { errors: [] } };
const CONFLICT = { status: 400, body: { errors: ["check-and-set parameter did not match the current version"] } };

const newPath = () => `secret/data/platform/${fresh("svc")}/dev`;

export function writesSuite(at: () => Wire): void {
  const put = (path: string, body: unknown) => at().call(`POST ${path}`, { body });
  const patch = (path: string, body: unknown, headers: Record<string, string> = MERGE_PATCH) => at().call(`PATCH ${path}`, { body, headers });
  const dataOf = async (path: string) => (await at().must(`GET ${path}`)).data.data;

  it("puts and reads, by either method", async () => {
    const path = newPath();
    expect(await at().call(`GET ${path}`)).toMatchObject(NOTHING);
    const first = await put(path, { data: { a: "1", b: "2" } });
    expect(first).toMatchObject({ status: 200, body: { data: { custom_metadata: null, deletion_time: "", destroyed: false, version: 1 } } });
    expect(first.body.data.created_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    expect((await at().must(`PUT ${path}`, { body: { data: { c: "3" } } })).data.version).toBe(2);
    expect((await at().must(`GET ${path}`)).data).toMatchObject({ data: { c: "3" }, metadata: { version: 2, destroyed: false, deletion_time: "" } });
  });

  it("reads an older version, and the newest where the number is not positive", async () => {
    const path = newPath();
    await put(path, { data: { a: "1" } });
    await put(path, { data: { a: "2" } });
    expect((await at().must(`GET ${path}?version=1`)).data.data).toEqual({ a: "1" });
    for (const version of ["0", "-1"]) expect((await at().must(`GET ${path}?version=${version}`)).data.data).toEqual({ a: "2" });
    expect(await at().call(`GET ${path}?version=99`)).toMatchObject(NOTHING);
    expect((await at().call(`GET ${path}?version=abc`)).status).toBe(400);
  });

  it("checks and sets", async () => {
    const path = newPath();
    expect(await put(path, { data: { a: "1" }, options: { cas: 5 } })).toMatchObject(CONFLICT);
    expect((await put(path, { data: { a: "1" }, options: { cas: 0 } })).status).toBe(200);
    for (const cas of [0, 2, -1, null]) expect(await put(path, { data: { a: "x" }, options: { cas } })).toMatchObject(CONFLICT);
    expect((await put(path, { data: { a: "2" }, options: { cas: 1 } })).body.data.version).toBe(2);
    expect((await put(path, { data: { a: "3" }, options: { cas: "2" } })).body.data.version).toBe(3);
    expect(await put(path, { data: { a: "x" }, options: { cas: "x" } })).toMatchObject({ status: 400, body: { errors: ["error parsing check-and-set parameter"] } });
    expect(await dataOf(path)).toEqual({ a: "3" });
  });

  it.each([[{ a: "1" }], [undefined], [{ data: [1] }], [{ data: "x" }], ["[]"]])("refuses a put of %j", async (body) => {
    const path = newPath();
    expect((await put(path, body)).status).toBe(400);
    expect(await at().call(`GET ${path}`)).toMatchObject(NOTHING);
  });

  it.each([["malformed JSON", `{"data":`], ["trailing text", `{"data":{}} x`]])("refuses %s without quoting it", async (_, body) => {
    const refused = await put(newPath(), body);
    expect([400, 500]).toContain(refused.status);
    expect(refused.body.errors).toHaveLength(1);
  });

  it("keeps every type and every key", async () => {
    const path = newPath();
    const body = `{"data":{"n":1,"f":1.5,"e":1e21,"t":true,"nul":null,"arr":[1,"a",{"x":null}],"obj":{"k":"v"},"s":"","":"empty","a.b.c":"dots","größe/ключ/鍵 🔑":"ünï"," sp ":"x","A":"upper","a":"lower","__proto__":{"x":1},"html":"<a href='x'>&</a>"}}`;
    expect((await put(path, body)).status).toBe(200);
    expect(JSON.stringify(sorted(await dataOf(path)))).toBe(JSON.stringify(sorted(JSON.parse(body).data)));
    await patch(path, `{"data":{"__proto__":{"y":2}}}`);
    expect(Object.entries(await dataOf(path)).find(([key]) => key === "__proto__")?.[1]).toEqual({ x: 1, y: 2 });
  });

  it("warns of fields it does not know", async () => {
    expect((await put(newPath(), { data: {}, extra: 1 })).body.warnings).toHaveLength(1);
  });

  it("merges a patch: keys stay, change, come, and with null go", async () => {
    const path = newPath();
    await put(path, { data: { a: "1", b: "2", o: { x: 1, y: 2 } } });
    expect((await patch(path, { data: { b: "22", c: "3" } })).body.data.version).toBe(2);
    expect(await dataOf(path)).toEqual({ a: "1", b: "22", c: "3", o: { x: 1, y: 2 } });
    await patch(path, { data: { b: null, o: { x: null }, absent: null } });
    expect(await dataOf(path)).toEqual({ a: "1", c: "3", o: { y: 2 } });
    expect((await patch(path, { data: {} })).body.data.version).toBe(4);
    expect((await patch(path, { data: { d: "4" }, options: { cas: 4 } })).body.data.version).toBe(5);
    expect(await patch(path, { data: { d: "5" }, options: { cas: 4 } })).toMatchObject(CONFLICT);
    expect((await patch(path, { data: { e: "1" } }, { "content-type": "application/merge-patch+json; charset=utf-8" })).status).toBe(200);
  });

  it("patches nothing where nothing is", async () => {
    expect(await patch(newPath(), { data: { a: "1" } })).toMatchObject({ status: 404, text: "" });
  });

  it.each([["application/json", 415], ["application/json-patch+json", 415]])("takes no patch as %s", async (type, status) => {
    const path = newPath();
    await put(path, { data: { a: "1" } });
    expect((await patch(path, { data: { a: "2" } }, { "content-type": type })).status).toBe(status);
    expect((await patch(path, { x: 1 })).body.errors).toEqual(["no data provided"]);
    expect(await dataOf(path)).toEqual({ a: "1" });
  });

  it("is blanked by a put of null, and then not patched", async () => {
    const path = newPath();
    await put(path, { data: { a: "1" } });
    expect((await put(path, { data: null })).body.data.version).toBe(2);
    expect((await at().must(`GET ${path}`)).data).toMatchObject({ data: null, metadata: { version: 2 } });
    expect((await patch(path, { data: { a: "1" } })).status).toBe(500);
  });

  it("of 20 at once with cas 0 exactly one writes", async () => {
    const path = newPath();
    const statuses = await Promise.all(Array.from({ length: 20 }, async (_, n) => (await put(path, { data: { n }, options: { cas: 0 } })).status));
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
  });

  it("of 40 patches at once none is lost", async () => {
    const path = newPath();
    await put(path, { data: {} });
    const statuses = await Promise.all(Array.from({ length: 40 }, async (_, n) => (await patch(path, { data: { [`key${n}`]: n } })).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { data, metadata } = (await at().must(`GET ${path}`)).data;
    expect([Object.keys(data).length, metadata.version]).toEqual([40, 41]);
  });

  it("writes to no folder", async () => {
    expect(await put(`${newPath()}/`, { data: { a: "1" } })).toMatchObject({ status: 400, body: { errors: ["cannot write to a path ending in '/'"] } });
    expect((await at().call(`GET ${newPath()}/`)).status).toBe(404);
  });

  it("tells the case of paths apart, and takes spaces and letters of any script", async () => {
    const name = fresh("Größe a+b");
    for (const path of [`secret/data/${name}`, `secret/data/${name.toLowerCase()}`]) await put(encodeURI(path), { data: { path } });
    expect(await dataOf(encodeURI(`secret/data/${name}`))).toEqual({ path: `secret/data/${name}` });
  });
}

export function versionsSuite(at: () => Wire): void {
  async function written(versions: number) {
    const below = `platform/${fresh("svc")}/dev`;
    for (let n = 1; n <= versions; n++) await at().must(`POST secret/data/${below}`, { body: { data: { n } } });
    return below;
  }
  const read = (below: string, version: number) => at().call(`GET secret/data/${below}?version=${version}`);

  it("soft-deletes the newest and brings it back", async () => {
    const below = await written(2);
    for (let n = 0; n < 2; n++) expect((await at().call(`DELETE secret/data/${below}`)).status).toBe(204);
    const deleted = await at().call(`GET secret/data/${below}`);
    expect(deleted).toMatchObject({ status: 404, body: { data: { data: null, metadata: { version: 2, destroyed: false } } } });
    expect(deleted.body.data.metadata.deletion_time).not.toBe("");
    expect((await read(below, 1)).status).toBe(200);
    const patched = await at().call(`PATCH secret/data/${below}`, { body: { data: { a: 1 } }, headers: MERGE_PATCH });
    expect(patched).toMatchObject({ status: 404, body: { data: { version: 2, deletion_time: expect.stringMatching(/^\d{4}-/) } } });
    expect((await at().call(`POST secret/data/${below}`, { body: { data: {}, options: { cas: 0 } } })).status).toBe(400);
    expect((await at().call(`POST secret/undelete/${below}`, { body: { versions: [2] } })).status).toBe(204);
    expect((await read(below, 2)).body.data.data).toEqual({ n: 2 });
  });

  it("deletes and destroys the versions it is told", async () => {
    const below = await written(3);
    expect((await at().call(`POST secret/delete/${below}`, { body: { versions: [1] } })).status).toBe(204);
    expect((await at().call(`PUT secret/destroy/${below}`, { body: { versions: [2] } })).status).toBe(204);
    expect((await read(below, 1)).status).toBe(404);
    expect(await read(below, 2)).toMatchObject({ status: 404, body: { data: { data: null, metadata: { destroyed: true, version: 2 } } } });
    await at().call(`POST secret/undelete/${below}`, { body: { versions: [1, 2] } });
    expect([(await read(below, 1)).status, (await read(below, 2)).status, (await read(below, 3)).status]).toEqual([200, 404, 200]);
  });

  it("keeps ten", async () => {
    const below = await written(12);
    expect(await read(below, 2)).toMatchObject(NOTHING);
    expect((await read(below, 3)).body.data.data).toEqual({ n: 3 });
    const { data } = await at().must(`GET secret/metadata/${below}`);
    expect(data).toMatchObject({ current_version: 12, oldest_version: 3, max_versions: 0, cas_required: false, custom_metadata: null, delete_version_after: "0s" });
    expect(Object.keys(data.versions)).toHaveLength(10);
    expect(data.versions["12"]).toMatchObject({ deletion_time: "", destroyed: false });
  });

  it("deletes a path with all its versions, after which it begins at 1", async () => {
    const below = await written(2);
    for (let n = 0; n < 2; n++) expect((await at().call(`DELETE secret/metadata/${below}`)).status).toBe(204);
    for (const path of [`secret/data/${below}`, `secret/metadata/${below}`, `secret/subkeys/${below}`]) expect(await at().call(`GET ${path}`)).toMatchObject(NOTHING);
    expect((await at().must(`POST secret/data/${below}`, { body: { data: {} } })).data.version).toBe(1);
  });

  it("shows the keys without their values", async () => {
    const below = `platform/${fresh("svc")}/dev`;
    await at().must(`POST secret/data/${below}`, { body: { data: { s: "canary", arr: [1], obj: { k: "v", o: { deep: 1 } }, nul: null } } });
    const shown = await at().call(`GET secret/subkeys/${below}`);
    expect(shown.body.data).toMatchObject({ metadata: { version: 1 }, subkeys: { s: null, arr: null, obj: { k: null, o: { deep: null } }, nul: null } });
    expect(shown.text).not.toContain("canary");
  });

  it("requires check-and-set where the metadata says so, and keeps fewer versions", async () => {
    const below = await written(1);
    expect((await at().call(`POST secret/metadata/${below}`, { body: { cas_required: true, max_versions: 2, custom_metadata: { owner: "team" } } })).status).toBe(204);
    expect(await at().call(`POST secret/data/${below}`, { body: { data: {} } })).toMatchObject({
      status: 400, body: { errors: ["check-and-set parameter required for this call"] },
    });
    for (const cas of [1, 2]) await at().must(`POST secret/data/${below}`, { body: { data: { cas }, options: { cas } } });
    expect(await read(below, 1)).toMatchObject(NOTHING);
    expect((await read(below, 2)).body.data.metadata.custom_metadata).toEqual({ owner: "team" });
  });

  it("has metadata before there is a version, and the first put is version 1", async () => {
    const below = `platform/${fresh("svc")}/dev`;
    expect((await at().call(`POST secret/metadata/${below}`, { body: { custom_metadata: { a: "b" } } })).status).toBe(204);
    expect((await at().must(`GET secret/metadata/${below}`)).data.current_version).toBe(0);
    expect(await at().call(`GET secret/data/${below}`)).toMatchObject(NOTHING);
    expect((await at().must(`POST secret/data/${below}`, { body: { data: {}, options: { cas: 0 } } })).data.version).toBe(1);
  });

  it("lists a folder, and no leaf", async () => {
    const folder = fresh("folder");
    for (const name of ["b/dev", "a/dev", "a/prod", "leaf"]) await at().must(`POST secret/data/${folder}/${name}`, { body: { data: {} } });
    for (const line of [`GET secret/metadata/${folder}?list=true`, `GET secret/metadata/${folder}/?list=true`, `LIST secret/metadata/${folder}`]) {
      expect((await at().must(line)).data).toEqual({ keys: ["a/", "b/", "leaf"] });
    }
    expect((await at().must(`LIST secret/metadata/${folder}/a`)).data).toEqual({ keys: ["dev", "prod"] });
    expect(await at().call(`GET secret/metadata/${folder}/leaf?list=true`)).toMatchObject(NOTHING);
    expect(await at().call(`GET secret/metadata/${fresh("none")}?list=true`)).toMatchObject(NOTHING);
  });

  it("has no paths but its own", async () => {
    const answer = await at().call("GET secret/platform/svc-a/dev");
    expect([answer.status, answer.body.data, answer.body.warnings[0]]).toEqual([404, null, expect.stringMatching(/^Invalid path for a versioned K\/V/)]);
    expect([404, 405]).toContain((await at().call("GET secret/data/platform?list=true")).status);
  });
}

function sorted(value: object): [string, unknown][] {
  return Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
