import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCertificates } from "../certificates.ts";
import type { Settings } from "../command.ts";
import { type RedisServer, redisServer } from "../redis/server.ts";
import { ownFolder } from "../workers/folder.ts";
import { keptIn, provision, SHARED } from "./command.ts";

/** What README asks for. */
const RIGHTS = ["+eval", "+incr", "+pttl", "+pexpire", "~gatehouse:limit:*"];

const certificates = mkdtempSync(join(tmpdir(), "gatehouse-"));
let authority: string;
let [plain, secure]: RedisServer[] = [];

beforeAll(async () => {
  const made = makeCertificates(certificates, "DNS:localhost");
  authority = made.authority;
  const user = (name: string, ...rights: string[]) => ["--user", name, "on", ">canary", ...rights];
  plain = await redisServer(["--port", "{port}", ...user("gateway", ...RIGHTS), ...user("poor", "+ping", "~gatehouse:limit:*"), ...user("elsewhere", "+eval", "~other:*")]);
  const tls = ["--tls-cert-file", made.certificate, "--tls-key-file", made.key, "--tls-ca-cert-file", authority, "--tls-auth-clients", "no"];
  secure = await redisServer(["--port", "0", "--tls-port", "{port}", ...tls, ...user("gateway", ...RIGHTS)]);
});
afterAll(async () => {
  await Promise.all([plain?.close(), secure?.close()]);
  rmSync(certificates, { recursive: true });
});

function told(more: Settings) {
  const settings: Settings = { GATEHOUSE_DATA: ownFolder(), ...more };
  return { settings, file: join(settings["GATEHOUSE_DATA"]!, "settings.env") };
}

test("A user with no more rights than the platform needs will do", async () => {
  const { settings, file } = told({ REDIS_URL: `redis://gateway:canary@127.0.0.1:${plain?.port}` });
  const { code, output } = await provision(settings, "--yes");
  expect(code, output).toBe(0);
  expect(keptIn(file)).toEqual({ ...SHARED, REDIS_URL: settings["REDIS_URL"] });
});

test.each(["poor", "elsewhere"])("The user %s, who may not run the gateway's script, is told what it needs", async (user) => {
  const { settings } = told({ REDIS_URL: `redis://${user}:canary@127.0.0.1:${plain?.port}` });
  const { code, output } = await provision(settings, "--dry-run");
  expect(code).toBe(1);
  expect(output).toContain(`Cannot use the Redis at "127.0.0.1:${plain?.port}": its user needs ${RIGHTS.join(" ")}`);
  expect(output).not.toContain("canary");
});

test("Over TLS it is reached with the authority of REDIS_CA_FILE, which is kept, and not without", { timeout: 60_000 }, async () => {
  const { settings, file } = told({ REDIS_URL: `rediss://gateway:canary@localhost:${secure?.port}`, REDIS_CA_FILE: authority });
  const { code, output } = await provision(settings, "--yes");
  expect(code, output).toBe(0);
  expect(keptIn(file)).toEqual({ ...SHARED, REDIS_URL: settings["REDIS_URL"], REDIS_CA_FILE: authority });
  expect(await provision({ GATEHOUSE_DATA: settings["GATEHOUSE_DATA"]! }, "--dry-run")).toEqual({ code: 0, output: "Nothing to do.\n" });

  const without = await provision(told({ REDIS_URL: settings["REDIS_URL"]! }).settings, "--dry-run");
  expect([without.code, without.output]).toEqual([1, expect.stringMatching(/^Cannot reach the Redis at .*certificate/)]);
  const nowhere = await provision({ ...settings, REDIS_CA_FILE: "/nowhere/ca.pem" }, "--dry-run");
  expect([nowhere.code, nowhere.output]).toEqual([1, expect.stringContaining('Cannot read REDIS_CA_FILE "/nowhere/ca.pem": ENOENT')]);
});
