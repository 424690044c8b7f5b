import { join } from "node:path";
import { expect, test } from "vitest";
import { listOf, reportOf } from "../../src/doctor/report.ts";
import { SYSTEMS } from "../../src/doctor/systems.ts";
import { ownFolder } from "../workers/folder.ts";
import { diagnosis, MINUTE_MS, visit } from "./command.ts";

const AWAY = "http://127.0.0.1:2";

test("what it does not know it refuses, and has then said nothing", { timeout: MINUTE_MS }, async () => {
  for (const args of [["--nope"], ["--json", "--list"], ["now"]]) {
    const { code, out, err } = await visit({}, args);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toContain("Usage: npm run doctor");
  }
});

test("systems that are away are one error each, and their other checks are said not to have been made", { timeout: MINUTE_MS }, async () => {
  const { exit, of, document } = await diagnosis({
    GATEHOUSE_DATA: join(ownFolder(), "data"),
    DATABASE_URL: "postgres://user:a-password-of-16@127.0.0.1:2/db",
    IDENTITY_URL: AWAY,
    AUTH_SERVICE_CLIENT_SECRET: "one-of-the-secrets",
    USER_SERVICE_CLIENT_SECRET: "two-of-the-secrets",
    ADMIN_SERVICE_CLIENT_SECRET: "three-of-the-secrets",
    SECRETS_URL: "http://no-such-host.invalid",
    ADMIN_SERVICE_ROLE_ID: "a",
    ADMIN_SERVICE_SECRET_ID: "four-of-the-secrets",
    CONFIG_SERVER_ROLE_ID: "b",
    CONFIG_SERVER_SECRET_ID: "five-of-the-secrets",
    BROKER_URL: AWAY,
    REDIS_URL: "redis://127.0.0.1:2",
  });
  expect(exit).toBe(1);
  for (const [system, code] of Object.entries({ database: "refused", identity: "refused", secrets: "unknown-host", broker: "refused", redis: "refused" })) {
    const [first, ...rest] = of(system);
    expect(first).toMatchObject({ code, status: "error", check: "reachable" });
    expect(first?.remedy).toMatch(/_URL/);
    expect(rest.length).toBeGreaterThan(4);
    for (const finding of rest) expect(finding).toMatchObject({ status: "not-checked", sentence: first?.sentence, remedy: null });
  }
  expect(document.counts.error).toBe(5);
});

test("each finding that is not fine says what mends it, and --list shows them all", { timeout: MINUTE_MS }, async () => {
  const rows = Object.entries(SYSTEMS).flatMap(([system, { table }]) => Object.entries<{ status: string; remedy?: string }>(table).map(([code, row]) => ({ at: `${system}/${code}`, ...row })));
  expect(rows.filter(({ status, remedy }) => (status === "ok") !== (remedy === undefined)).map(({ at }) => at)).toEqual([]);
  const { code, out } = await visit({}, ["--list"]);
  expect(code).toBe(0);
  expect(out.trim()).toBe(listOf());
  for (const { at } of rows.filter(({ status }) => status !== "ok")) expect(out).toContain(`${at} (`);
});

test("colours are for terminals only, and a line has the same columns with and without them", { timeout: MINUTE_MS }, async () => {
  const { out } = await visit({ GATEHOUSE_DATA: join(ownFolder(), "data"), HOST: "0.0.0.0", INSTANCE_HOST: "127.0.0.1" });
  expect(out).not.toContain("\u001B");
  expect(out).toMatch(/^Settings\n {2}ok {7}values/m);
  expect(out).toMatch(/^ {2}warning {2}openness +HOST is 0\.0\.0\.0, and PUBLIC_URL is not set\n +> Set PUBLIC_URL/m);
  expect(out.trimEnd()).toMatch(/\n\n3 warnings, \d+ fine, \d+ not checked$/);
  const finding = { system: "settings", check: "values", code: "missing", status: "error", sentence: "X is needed", remedy: "Set X" } as const;
  const painted = reportOf([finding], { colours: true });
  expect(painted).toContain("\u001B[31mERROR");
  // oxlint-disable-next-line no-control-regex
  expect(painted.replaceAll(/\u001B\[\d+m/g, "")).toBe(reportOf([finding], { colours: false }));
});
