import { randomBytes } from "node:crypto";
import type { LogEntry } from "../../src/http/log.ts";
import { embeddedSecrets } from "../../src/secrets/embedded/app.ts";
import { provisionSecrets } from "../../src/secrets/embedded/provision.ts";
import type { TestDatabase } from "../database.ts";
import { emptyDatabase } from "../identity/embedded.ts";
import { allow, type SecretsUnderTest, wire } from "../wire/secrets/wire.ts";

export const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

export const EVERYTHING = { policies: ["everything"], roleId: "role-id-of-the-tests", secretId: "secret-id-of-the-tests" };

export type EmbeddedUnderTest = SecretsUnderTest & {
  database: TestDatabase;
  clock: { shift: number };
  log: LogEntry[];
  needs: Parameters<typeof embeddedSecrets>[0];
  close: () => Promise<void>;
};

/** The embedded secrets store over a database of its own, with a clock that can be put forward. */
export async function embeddedUnderTest(): Promise<EmbeddedUnderTest> {
  const database = await emptyDatabase();
  const clock = { shift: 0 };
  const log: LogEntry[] = [];
  const needs = { db: database.db, key: KEY, now: () => Date.now() + clock.shift, randomBytes, log: (entry: LogEntry) => void log.push(entry) };
  const policies = { everything: allow("*", "create", "read", "update", "patch", "delete", "list", "sudo") };
  await provisionSecrets(needs, { policies, approles: { everything: EVERYTHING } });
  const app = embeddedSecrets(needs);
  const under = { fetch: (request: Request) => app.fetch(request), baseUrl: "http://vault.test", token: "" };
  const { body } = await wire(under).login({ name: "everything", roleId: EVERYTHING.roleId }, EVERYTHING.secretId);
  return { ...under, token: body.auth.client_token, database, clock, log, needs, close: database.close };
}
