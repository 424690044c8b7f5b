import { kafkaRest } from "../../src/broker/kafka-rest.ts";
import { adminService } from "../../src/compose/admin.ts";
import { readSettings } from "../../src/env.ts";
import { relay } from "../../src/events/relay.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { adminSettings } from "../../src/settings/services.ts";
import { documentationScript } from "../script.ts";
import type { TestPlatform, Wires } from "../platform.ts";

export type Door = { name: string; knock: (token: string) => Promise<Response> };

/** The relay between the outbox and the broker of a platform. */
export function relayOf({ database, broker, brokerUrl, clock, log }: TestPlatform): () => Promise<void> {
  const { run } = relay({
    db: database.db,
    broker: kafkaRest({ url: brokerUrl, fetch: broker, now: clock.now }),
    log: (entry) => void log.push(entry),
    now: clock.now,
    random: Math.random,
    newId: () => crypto.randomUUID(),
  });
  return run;
}

/** One door of each service that takes tokens, all instances new; whoever has both roles may pass. */
export function doorsOf(platform: TestPlatform, wires: Wires = {}): Door[] {
  const { database, clock, log } = platform;
  const through = (wire: Wires[keyof Wires], fetch: Fetch): Fetch => (wire ? (request) => wire(request, fetch) : fetch);
  const settings = {
    IDENTITY_URL: platform.identityUrl,
    IDENTITY_REALM: platform.realm,
    DATABASE_URL: database.url,
    DATABASE_SQL_URL: "http://database.test/sql",
    DATABASE_TIMEOUT_MS: "5000",
    BROKER_URL: platform.brokerUrl,
    SECRETS_URL: "http://secrets.test",
    ADMIN_SERVICE_CLIENT_SECRET: "secret-of-admin-service",
    ADMIN_SERVICE_ROLE_ID: "role",
    ADMIN_SERVICE_SECRET_ID: "secret",
    WEBHOOK_KEY: "K".repeat(43),
  };
  const admin = adminService(readSettings(adminSettings, settings), {
    log: (entry) => void log.push(entry),
    now: clock.now,
    sharesPending: true,
    identity: platform.identity,
    database: through(wires.database, database.fetch),
    broker: through(wires.broker, platform.broker),
    secrets: () => new Response(null, { status: 404 }),
    network: () => new Response(null, { status: 404 }),
    policies: {},
    documentationScript,
  });
  const { request } = platform.instance(wires);
  const identityUser = () => {
    const name = `technical.${crypto.randomUUID().slice(0, 8)}`;
    return { username: name, password: "Correct-Horse-7-Battery", firstName: "A", lastName: "B", emailId: `${name}@example.com` };
  };
  return [
    {
      name: "administration",
      knock: async (token) => admin.app.fetch(new Request("http://admin.test/api/admin/realm-roles", { headers: { authorization: `Bearer ${token}` } })),
    },
    { name: "authentication", knock: (token) => request("/internal/api/auth/register/users", { method: "POST", token, json: identityUser() }) },
    { name: "users", knock: (token) => request("/internal/api/login-attempts", { method: "POST", token, json: { username: crypto.randomUUID() } }) },
  ];
}

/** What each door answers. */
export async function knockAll(doors: Door[], token: string): Promise<Record<string, number>> {
  const answers = doors.map(async ({ name, knock }) => [name, (await knock(token)).status] as const);
  return Object.fromEntries(await Promise.all(answers));
}

export const OPEN = { administration: 200, authentication: 200, users: 201 };
export const SHUT = { administration: 401, authentication: 401, users: 401 };
