import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { endpointStore } from "../../src/webhooks/endpoint-store.ts";
import { secretSealing } from "../../src/webhooks/sealed.ts";
import { openInstallation } from "../../workers/data.ts";
import { openDatabase } from "../../workers/database.ts";
import { listenOnNode } from "../../workers/listen-node.ts";
import { ownFolder } from "../workers/folder.ts";
import { diagnosis, MINUTE_MS } from "./command.ts";

const KEY = `${"k".repeat(42)}A`;

/** Settings that lead to a database of the test's own by its HTTP interface, and what makes a webhook in it. */
async function ownDatabase() {
  const { url, client, fetch, close } = await openDatabase({ directory: join(ownFolder(), "postgres"), password: "of-the-tests-alone", log: () => {} });
  const listening = await listenOnNode((request) => fetch(request), { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    await listening.close();
    await close();
  });
  const make = async (key: string) => {
    const id = crypto.randomUUID();
    const secret = await secretSealing(key, (length) => crypto.getRandomValues(new Uint8Array(length))).seal("whsec_of-the-tests", id);
    await endpointStore(client).create(id, { url: "https://receiver.example/", types: null, description: "", secret, now: Date.now() });
  };
  return { make, settings: { DATABASE_URL: url, DATABASE_SQL_URL: `http://127.0.0.1:${listening.port}/sql` } };
}

test("that WEBHOOK_KEY opens the secrets of webhooks is looked at where they are served, by every key that there is", { timeout: 4 * MINUTE_MS }, async () => {
  const { make, settings } = await ownDatabase();
  const data = ownFolder();
  const { WEBHOOK_KEY: own } = openInstallation(data);
  const looked = async (more: Record<string, string>) => {
    const { of, text } = await diagnosis({ GATEHOUSE_DATA: data, ...settings, ...more });
    for (const secret of [KEY, own]) expect(text).not.toContain(secret);
    return of("database").filter(({ check }) => check === "webhooks").map(({ code, status, sentence }) => `${code} (${status}): ${sentence}`);
  };
  expect(await looked({})).toEqual(["webhooks (ok): WEBHOOK_KEY opens the secrets of all webhooks (0)"]);
  await make(KEY);
  expect(await looked({ WEBHOOK_KEY: KEY })).toEqual(["webhooks (ok): WEBHOOK_KEY opens the secrets of all webhooks (1)"]);
  expect(await looked({})).toEqual(["webhooks-sealed (error): WEBHOOK_KEY does not open the secrets of 1 of 1 webhooks: nothing can be signed for them, and so nothing is sent"]);
  await make(own);
  expect(await looked({ WEBHOOK_KEY: KEY })).toEqual(["webhooks-sealed (error): WEBHOOK_KEY does not open the secrets of 1 of 2 webhooks: nothing can be signed for them, and so nothing is sent"]);
  expect(await looked({ SERVICES: "discovery" })).toEqual([]);
});
