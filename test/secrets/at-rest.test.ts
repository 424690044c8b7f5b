import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedSecrets } from "../../src/secrets/embedded/app.ts";
import { provisionSecrets } from "../../src/secrets/embedded/provision.ts";
import { fresh, MERGE_PATCH, type Wire, wire } from "../wire/secrets/wire.ts";
import { EVERYTHING, embeddedUnderTest, type EmbeddedUnderTest, KEY } from "./embedded.ts";

let embedded: EmbeddedUnderTest;
let at: Wire;
beforeAll(async () => {
  embedded = await embeddedUnderTest();
  at = wire(embedded);
});
afterAll(() => embedded.close());

const query = (sql: string, params: string[] = []) => embedded.database.query(sql, params);
const OTHER_KEY = KEY.replace("AAEC", "BBBB");
const VERSION_OF = "document = (select id from secrets.documents where path = $1)";

async function written(values: string[], below = `platform/${fresh("svc")}/dev`): Promise<string> {
  for (const value of values) await at.must(`POST secret/data/${below}`, { body: { data: { value } } });
  return below;
}

/** What no row that was tampered with may do: be read, be patched, or say what it held. */
async function expectRefused(below: string, version = ""): Promise<void> {
  const before = embedded.log.length;
  const read = await at.call(`GET secret/data/${below}${version}`);
  expect([read.status, read.body]).toEqual([500, { errors: ["internal error"] }]);
  expect(embedded.log.slice(before).map(({ error }) => error)).toEqual([expect.stringContaining("Cannot open a sealed value")]);
  if (!version) expect((await at.call(`PATCH secret/data/${below}`, { body: { data: { a: "1" } }, headers: MERGE_PATCH })).status).toBe(500);
}

describe("a sealed value", () => {
  it("in the place of another version of the same document is refused", async () => {
    const below = await written(["one", "two"]);
    await query(`update secrets.versions set sealed = (select sealed from secrets.versions where ${VERSION_OF} and version = 1) where ${VERSION_OF} and version = 2`, [below]);
    await expectRefused(below);
    expect((await at.must(`GET secret/data/${below}?version=1`)).data.data).toEqual({ value: "one" });
  });

  it("in the place of another document's is refused", async () => {
    const [one, other] = [await written(["one"]), await written(["other"])];
    await query(`update secrets.versions set sealed = (select v.sealed from secrets.versions v join secrets.documents d on d.id = v.document where d.path = $2) where ${VERSION_OF}`, [one, other]);
    await expectRefused(one);
  });

  it("whose whole rows changed paths is refused", async () => {
    const [one, other] = [await written(["one"]), await written(["other"])];
    await query("update secrets.documents set path = case path when $1 then $2 || '-x' else $1 end where path in ($1, $2)", [one, other]);
    await expectRefused(one);
    await expectRefused(`${other}-x`);
  });

  it("of a document that was deleted is refused in the one that came after it", async () => {
    const below = await written(["old"]);
    const [old] = await query(`select sealed from secrets.versions where ${VERSION_OF}`, [below]);
    await at.must(`DELETE secret/metadata/${below}`);
    await written(["new"], below);
    await query(`update secrets.versions set sealed = $2 where ${VERSION_OF}`, [below, old?.["sealed"] ?? ""]);
    await expectRefused(below);
  });

  it("with a changed, missing or foreign byte is refused", async () => {
    const below = await written(["value"]);
    const [row] = await query(`select sealed from secrets.versions where ${VERSION_OF}`, [below]);
    const sealed = row?.["sealed"] ?? "";
    const flipped = `${sealed.slice(0, 20)}${sealed[20] === "A" ? "B" : "A"}${sealed.slice(21)}`;
    for (const altered of [flipped, sealed.slice(0, -4), "", ".", "x.y", `A${sealed.slice(1)}x`, sealed.replace(".", "")]) {
      await query(`update secrets.versions set sealed = $2 where ${VERSION_OF}`, [below, altered]);
      await expectRefused(below);
    }
    await query(`update secrets.versions set sealed = $2 where ${VERSION_OF}`, [below, sealed]);
    expect((await at.must(`GET secret/data/${below}`)).data.data).toEqual({ value: "value" });
  });

  it("is never sealed twice alike", async () => {
    const below = await written(["same", "same", "same"]);
    const rows = await query(`select split_part(sealed, '.', 1) as iv, sealed from secrets.versions where ${VERSION_OF}`, [below]);
    expect([new Set(rows.map(({ iv }) => iv)).size, new Set(rows.map(({ sealed }) => sealed)).size]).toEqual([3, 3]);
  });

  it("is gone when it was destroyed", async () => {
    const below = await written(["one"]);
    await at.must(`POST secret/destroy/${below}`, { body: { versions: [1] } });
    expect(await query(`select sealed, is_destroyed from secrets.versions where ${VERSION_OF}`, [below])).toEqual([{ sealed: null, is_destroyed: "t" }]);
  });
});

describe("another installation key", () => {
  it("opens nothing, knows no token and is told so at the start", async () => {
    const below = await written(["value"]);
    const needs = { ...embedded.needs, key: OTHER_KEY };
    const other = wire({ ...embedded, fetch: (request) => embeddedSecrets(needs).fetch(request) });
    expect((await other.call(`GET secret/data/${below}`)).status).toBe(403);
    expect((await other.login({ name: "everything", roleId: EVERYTHING.roleId }, EVERYTHING.secretId)).status).toBe(400);
    await expect(provisionSecrets(needs, { policies: {}, approles: { everything: EVERYTHING } })).rejects.toThrow("another installation key");
  });

  it.each(["", "short", `${KEY}${KEY}`, KEY.slice(1), KEY.replace("A", "!")])("of another form is refused: %j", async (key) => {
    await expect(provisionSecrets({ ...embedded.needs, key }, { policies: {}, approles: {} })).rejects.toThrow(/^Cannot use the installation key: it is not 32 bytes in base64url$/);
  });
});
