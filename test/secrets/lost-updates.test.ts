import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedSecrets } from "../../src/secrets/embedded/app.ts";
import { fresh, MERGE_PATCH, type Wire, wire } from "../wire/secrets/wire.ts";
import { embeddedUnderTest, type EmbeddedUnderTest } from "./embedded.ts";

const WRITERS = 20;

const newPath = () => `platform/${fresh("svc")}/dev`;
const everyone = <T>(work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: WRITERS }, (_, n) => work(n)));

describe.each([["one after another in one process", true], ["as in processes that know nothing of each other", false]])("writers of one path, %s", (_, sharesPending) => {
  let embedded: EmbeddedUnderTest;
  let at: Wire;
  beforeAll(async () => {
    embedded = await embeddedUnderTest();
    const app = embeddedSecrets({ ...embedded.needs, sharesPending });
    at = wire({ ...embedded, fetch: (request) => app.fetch(request) });
  });
  afterAll(() => embedded.close());

  async function addKey(below: string, n: number): Promise<void> {
    for (;;) {
      const { body } = await at.call(`GET secret/data/${below}`);
      const found = body.data as { data: object; metadata: { version: number } } | undefined;
      const options = { cas: found?.metadata.version ?? 0 };
      const written = await at.call(`POST secret/data/${below}`, { body: { data: { ...found?.data, [`key${n}`]: n }, options } });
      if (written.status === 200) return;
      expect(written.body.errors).toEqual(["check-and-set parameter did not match the current version"]);
    }
  }

  it("lose nothing when they read, change and set", async () => {
    const below = newPath();
    await everyone((n) => addKey(below, n));
    const { data, metadata } = (await at.must(`GET secret/data/${below}`)).data;
    expect([Object.keys(data).length, metadata.version]).toEqual([WRITERS, WRITERS]);
  });

  it("lose nothing when they patch, or put the first", async () => {
    const below = newPath();
    const outcomes = await everyone(async (n) => {
      const data = { [`key${n}`]: n };
      for (;;) {
        if ((await at.call(`PATCH secret/data/${below}`, { body: { data }, headers: MERGE_PATCH })).status === 200) return "patched";
        if ((await at.call(`POST secret/data/${below}`, { body: { data, options: { cas: 0 } } })).status === 200) return "put";
      }
    });
    expect(outcomes.filter((outcome) => outcome === "put")).toHaveLength(1);
    const { data, metadata } = (await at.must(`GET secret/data/${below}`)).data;
    expect([Object.keys(data).length, metadata.version]).toEqual([WRITERS, WRITERS]);
  });

  it("that say nothing of a version all get one, and the last ten are kept", async () => {
    const below = newPath();
    const versions = await everyone(async (n) => (await at.must(`POST secret/data/${below}`, { body: { data: { n } } })).data.version as number);
    expect(versions.toSorted((one, other) => one - other)).toEqual(Array.from({ length: WRITERS }, (__, n) => n + 1));
    const rows = await embedded.database.query("select count(*) as kept from secrets.versions v join secrets.documents d on d.id = v.document where d.path = $1", [below]);
    expect(rows).toEqual([{ kept: "10" }]);
  });

  it("do not bring back a document that was deleted and written again meanwhile", async () => {
    const below = newPath();
    await at.must(`POST secret/data/${below}`, { body: { data: { old: "x" } } });
    // Between reading version 1 and adding version 2, the path is deleted and has another version 1.
    let isInterrupted = false;
    const db = new Proxy(embedded.needs.db, {
      get: (target, key) => {
        if (key !== "execute") return Reflect.get(target, key);
        return async (statement: Parameters<typeof target.execute>[0]) => {
          const result = await target.execute(statement);
          if (!isInterrupted && JSON.stringify(result.rows).includes("sealed")) {
            isInterrupted = true;
            await at.must(`DELETE secret/metadata/${below}`);
            await at.must(`POST secret/data/${below}`, { body: { data: { new: "y" } } });
          }
          return result;
        };
      },
    });
    const app = embeddedSecrets({ ...embedded.needs, db, sharesPending });
    const patch = wire({ ...embedded, fetch: (request) => app.fetch(request) });
    await patch.must(`PATCH secret/data/${below}`, { body: { data: { patched: "z" } }, headers: { "content-type": "application/merge-patch+json" } });
    expect(isInterrupted).toBe(true);
    expect((await at.must(`GET secret/data/${below}`)).data.data).toEqual({ new: "y", patched: "z" });
  });
});
