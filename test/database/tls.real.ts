import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SettingsError } from "../../src/env.ts";
import { openPostgres } from "../../workers/postgres.ts";
import { makeCertificates } from "../certificates.ts";
import { type PostgresServer, postgresServer } from "./server.ts";

let folder: string;
let server: PostgresServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
  server = await postgresServer(makeCertificates(folder, "DNS:localhost"));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Whether the connection that a URL with these options makes is one with TLS; `{authority}` stands for the file of the server's authority. */
async function isEncrypted(options: string, host = "localhost"): Promise<boolean> {
  const url = `postgres://app:app@${host}:${server.port}/app?${options.replace("{authority}", join(folder, "authority.pem"))}`;
  const { run, close } = await openPostgres(url, { timeout: 2000, log: () => {} });
  const [result] = await run({ statements: [{ query: "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", params: [] }] });
  await close();
  return result?.rows[0]?.[0] === "t";
}

describe("A Postgres that offers TLS, with a certificate of its own authority for localhost", () => {
  test.each(["", "sslmode=disable"])("is spoken to without with %j", async (options) => {
    expect(await isEncrypted(options)).toBe(false);
  });

  test.each([
    ["sslmode=verify-full&sslrootcert={authority}", "localhost"],
    ["sslrootcert={authority}", "localhost"],
    ["sslmode=verify-ca&sslrootcert={authority}", "127.0.0.1"],
    ["sslmode=require&sslrootcert={authority}", "127.0.0.1"],
    ["sslmode=require", "127.0.0.1"],
    ["sslmode=no-verify", "127.0.0.1"],
    ["ssl=no-verify", "127.0.0.1"],
  ])("is spoken to with TLS with %j by %s", async (options, host) => {
    expect(await isEncrypted(options, host)).toBe(true);
  });

  test.each([
    ["sslmode=verify-full", "localhost", "certificate"],
    ["ssl=true", "localhost", "certificate"],
    ["sslmode=require&sslrootcert=/etc/hostname", "localhost", "certificate"],
    ["sslmode=verify-full&sslrootcert={authority}", "127.0.0.1", "altnames"],
  ])("is not trusted with %j by %s", async (options, host, why) => {
    await expect(isEncrypted(options, host)).rejects.toThrow(why);
  });

  test.each([
    ["sslmode=verify-ca", 'Cannot use sslmode "verify-ca" of DATABASE_URL: name the file of the authority as sslrootcert'],
    ["sslmode=prefer", 'Cannot use sslmode "prefer" of DATABASE_URL: use one of disable, require, verify-ca, verify-full, no-verify'],
    ["sslmode=verify-full&sslrootcert=/nowhere.pem", 'Cannot use the file "/nowhere.pem" of DATABASE_URL: ENOENT: no such file or directory'],
  ])("is not asked with %j", async (options, sentence) => {
    await expect(isEncrypted(options)).rejects.toThrow(new SettingsError(sentence));
  });
});
