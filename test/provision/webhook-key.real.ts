import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installationIn, openInstallation } from "../../workers/data.ts";
import { PLATFORM } from "../command.ts";
import { diagnosis } from "../doctor/command.ts";
import { client } from "../runtime/client.ts";
import { freePorts, launch } from "../runtime/launch.ts";
import { asOwner, type OwnDatabase, ownDatabase } from "../systems/postgres.ts";
import { ownFolder } from "../workers/folder.ts";
import { changesIn, keptIn, nothingToDo, provision } from "./command.ts";

const { TEST_DATABASE_URL: url = "" } = process.env;
const SLOW = { timeout: 240_000 };
const ADMIN_PASSWORD = "Correct-Horse-1-Admin";
const MENDED = "so set it to that in settings.env or secrets.json of the machine that runs the platform, or, where it is lost, delete these webhooks there\n";

describe.skipIf(url === "")("Where a platform has webhooks whose secrets are sealed", SLOW, () => {
  const first = mkdtempSync(join(tmpdir(), "gatehouse-"));
  let database: OwnDatabase;
  let key: string;

  beforeAll(async () => {
    database = await ownDatabase(url);
    const platform = await launch(PLATFORM, { ...(await freePorts()), GATEHOUSE_DATA: first, DATABASE_URL: database.url, ADMIN_PASSWORD });
    try {
      const request = client(platform.gateway);
      const { text: token } = await request("/api/auth/authenticate", { json: { username: "admin", password: ADMIN_PASSWORD } });
      for (const port of [9, 10]) expect((await request("/api/admin/webhooks", { token, json: { url: `http://127.0.0.1:${port}/`, types: ["user.registered"], description: "Nobody is there" } })).status).toBe(201);
    } finally {
      await platform.stop();
    }
    key = installationIn(first).WEBHOOK_KEY ?? "";
  }, 240_000);

  afterAll(async () => {
    await database?.drop();
    rmSync(first, { recursive: true, force: true });
  }, 60_000);

  const told = (data = ownFolder()) => ({ settings: { GATEHOUSE_DATA: data, DATABASE_URL: database.url }, data, file: join(data, "settings.env") });

  test.each(["--dry-run", "--yes"])("another machine makes no key with %s, says what to do, and leaves nothing", async (flag) => {
    const { settings, data, file } = told();
    expect(await provision(settings, flag)).toEqual({ code: 1, output: `Cannot make WEBHOOK_KEY: another one has sealed the secrets of the 2 webhooks in the database, ${MENDED}` });
    expect([existsSync(file), installationIn(data)]).toEqual([false, {}]);
  });

  test.each(["--dry-run", "--yes"])("a key that opens nothing is refused with %s, wherever it comes from", async (flag) => {
    const wrong = "w".repeat(43);
    const expected = { code: 1, output: `Cannot use WEBHOOK_KEY: it does not open the secrets of 2 of the 2 webhooks in the database, ${MENDED}` };
    const byEnvironment = told();
    expect(await provision({ ...byEnvironment.settings, WEBHOOK_KEY: wrong }, flag)).toEqual(expected);
    expect(existsSync(byEnvironment.file)).toBe(false);
    const byInstallation = told();
    openInstallation(byInstallation.data);
    expect(await provision(byInstallation.settings, flag)).toEqual(expected);
    expect(existsSync(byInstallation.file)).toBe(false);
    const byFile = told();
    writeFileSync(byFile.file, `WEBHOOK_KEY=${wrong}\n`);
    expect(await provision(byFile.settings, flag)).toEqual(expected);
    expect(keptIn(byFile.file)).toEqual({ WEBHOOK_KEY: wrong });
  });

  test("the key that opens them is kept: this installation's, or the environment's, also in the place of one that does not", async () => {
    const here = told(first);
    const ran = await provision(here.settings, "--yes");
    expect(changesIn(ran)[0]).toBe(`Keep this installation's LOGIN_GUARD_KEY, WEBHOOK_KEY, DISCOVERY_PASSWORD and CONFIG_PASSWORD in "${here.file}", for every instance`);
    expect([ran.code, keptIn(here.file)["WEBHOOK_KEY"]]).toEqual([0, key]);

    const { settings, file } = told();
    writeFileSync(file, `WEBHOOK_KEY=${"w".repeat(43)}\n`);
    const given = { ...settings, WEBHOOK_KEY: key };
    const trial = await provision(given, "--dry-run");
    expect(changesIn(trial)).toContain(`Put this installation's WEBHOOK_KEY into "${file}", in the place of one that does not open the secrets of webhooks`);
    expect(keptIn(file)).toEqual({ WEBHOOK_KEY: "w".repeat(43) });
    expect((await provision(given, "--yes")).code).toBe(0);
    expect(keptIn(file)["WEBHOOK_KEY"]).toBe(key);
    nothingToDo(await provision(settings, "--yes"));
    for (const { output } of [ran, trial]) expect(output).not.toContain(key);
  });

  test("the doctor tells which key it is, in each case", async () => {
    const other = told();
    openInstallation(other.data);
    const [wrong, none, right] = [await diagnosis(other.settings), await diagnosis(told().settings), await diagnosis({ ...other.settings, WEBHOOK_KEY: key })];
    for (const { having } of [wrong, none]) expect(having("database", "webhooks-sealed")).toMatchObject([{ status: "error", sentence: expect.stringContaining("2 of 2 webhooks"), remedy: expect.stringContaining("Set WEBHOOK_KEY") }]);
    expect([right.having("database", "webhooks"), right.having("database", "webhooks-sealed")]).toMatchObject([[{ status: "ok" }], []]);
    expect(right.text).not.toContain(key);
  });

  test("without them, a key is made", async () => {
    await asOwner(database.url, "DELETE FROM webhooks.endpoints");
    const { settings, file } = told();
    const ran = await provision(settings, "--yes");
    expect(changesIn(ran)[0]).toBe(`Make LOGIN_GUARD_KEY, WEBHOOK_KEY, DISCOVERY_PASSWORD and CONFIG_PASSWORD, kept in "${file}" for every instance`);
    expect(keptIn(file)["WEBHOOK_KEY"]).toMatch(/^[\w-]{43}$/);
  });
});
