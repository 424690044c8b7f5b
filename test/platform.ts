import { authService } from "../src/compose/auth.ts";
import { usersService } from "../src/compose/users.ts";
import { readSettings } from "../src/env.ts";
import type { Fetch } from "../src/http/fetch.ts";
import type { LogEntry } from "../src/http/log.ts";
import { authSettings, usersSettings } from "../src/settings/services.ts";
import { type TestDatabase, testDatabase } from "./database.ts";
import { documentationScript } from "./script.ts";
import { openBroker } from "./systems/broker.ts";
import type { Embedded } from "./systems/embedded.ts";
import { openIdentity } from "./systems/identity.ts";
import { operator } from "./systems/operator.ts";

export const ADMIN = { username: "admin", password: "Correct-Horse-1-Admin" };

const USERS_URL = "http://users.test";
const secrets = { "auth-service": "secret-of-auth-service", "user-service": "secret-of-user-service", "admin-service": "secret-of-admin-service" };

/** What stands between a service and a system outside it: passes on, delays, refuses, loses. */
export type Wire = (request: Request, pass: Fetch) => Response | Promise<Response>;

export type Wires = { identity?: Wire; database?: Wire; users?: Wire; broker?: Wire };

export type TestPlatform = Awaited<ReturnType<typeof testPlatform>>;

type Stores = { iterations?: number; embedded?: Embedded | undefined; database?: TestDatabase };

/** The services on a database, `database` if there is one, and an identity provider of their own; `clock` is what all of them take for the time, but for real systems. */
export async function testPlatform({ iterations = 1000, embedded, database: given }: Stores = {}) {
  const database = given ?? (await testDatabase());
  const clock = { offset: 0, now: () => Date.now() + clock.offset };
  const log: LogEntry[] = [];
  // The lowest number of iterations keeps the suites quick; that it is 600,000 by default is tested where it is set.
  const provider = await openIdentity({ database, now: clock.now, iterations, embedded }, { secrets, administrator: ADMIN });
  const { url: identityUrl, realm } = provider;
  const issuer = `${identityUrl}/realms/${realm}`;
  const journal: { method: string; path: string; form: URLSearchParams }[] = [];
  const identity: Fetch = async (request) => {
    const form = new URLSearchParams(request.method === "POST" ? await request.clone().text() : "");
    journal.push({ method: request.method, path: new URL(request.url).pathname, form });
    return provider.fetch(request);
  };
  const broker = await openBroker({ db: database.db, now: clock.now, embedded });

  /** One more instance of the services over the same stores. */
  function instance(wires: Wires = {}, settings: Record<string, string> = {}) {
    const through = (wire: Wire | undefined, fetch: Fetch): Fetch => (wire ? (request) => wire(request, fetch) : fetch);
    const runtime = { log: (entry: LogEntry) => void log.push(entry), now: clock.now, sharesPending: true, identity: through(wires.identity, identity), broker: through(wires.broker, broker.fetch), documentationScript };
    const env = {
      IDENTITY_URL: identityUrl,
      IDENTITY_REALM: realm,
      USERS_URL,
      BROKER_URL: broker.url,
      DATABASE_URL: database.url,
      DATABASE_SQL_URL: "http://database.test/sql",
      // As a process on an embedded database has it.
      DATABASE_TIMEOUT_MS: "5000",
      SERVICE_TIMEOUT_MS: "5000",
      LOGIN_GUARD_KEY: "0123456789abcdef0123456789abcdef",
      AUTH_SERVICE_CLIENT_SECRET: secrets["auth-service"],
      USER_SERVICE_CLIENT_SECRET: secrets["user-service"],
      ...settings,
    };
    const users = usersService(readSettings(usersSettings, env), { ...runtime, database: through(wires.database, database.fetch) });
    const toUsers = through(wires.users, (request) => users.app.fetch(request));
    const auth = authService(readSettings(authSettings, env), { ...runtime, database: through(wires.database, database.fetch), users: toUsers });
    return {
      sweep: users.sweep,
      users: (request: Request) => users.app.fetch(request),
      /** Sends to the user service or the authentication service: to the one named, else by path. */
      request: (path: string, init: RequestInit & { json?: unknown; token?: string; service?: "users" | "auth" } = {}) => {
        const { json, token, service = path.includes("/auth/") ? "auth" : "users", ...rest } = init;
        const headers = new Headers(rest.headers);
        if (json !== undefined) headers.set("content-type", "application/json");
        if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
        const body = json === undefined ? rest.body : JSON.stringify(json);
        const app = service === "auth" ? auth : users.app;
        return Promise.resolve(app.fetch(new Request(path.startsWith("/") ? `http://service.localhost${path}` : path, { ...rest, headers, body })));
      },
    };
  }

  const token = (client: keyof typeof secrets) => tokenOf({ identity: provider.fetch, issuer }, client);
  return {
    ...instance(),
    instance,
    clock,
    log,
    journal,
    database,
    identity,
    identityUrl,
    realm,
    issuer,
    signingKey: provider.signingKey,
    operator: operator({ fetch: provider.fetch, base: `${identityUrl}/admin/realms/${realm}`, token }),
    broker: broker.fetch,
    brokerUrl: broker.url,
    serviceToken: () => token("auth-service"),
    close: async () => {
      await provider.close();
      await broker.close();
      await database.close();
    },
  };
}

/** A token of one of the platform's own clients. */
export async function tokenOf({ identity, issuer }: { identity: Fetch; issuer: string }, client: keyof typeof secrets): Promise<string> {
  const form = { grant_type: "client_credentials", client_id: client, client_secret: secrets[client] };
  const response = await identity(new Request(`${issuer}/protocol/openid-connect/token`, { method: "POST", body: new URLSearchParams(form) }));
  return ((await response.json()) as { access_token: string }).access_token;
}

let people = 0;

/** A valid registration that nobody else has sent. */
export function person(overrides: Record<string, unknown> = {}) {
  people += 1;
  return {
    firstName: "Asha",
    lastName: "Rao",
    emailId: `asha.rao.${people}@example.com`,
    password: "Correct-Horse-7-Battery",
    primaryContactNumber: String(9_000_000_000 + people),
    ...overrides,
  };
}

type Sender = Pick<TestPlatform, "request">;

export async function registered(platform: Sender, overrides: Record<string, unknown> = {}) {
  const sent = person(overrides);
  const response = await platform.request("/api/users/register", { method: "POST", json: sent });
  const body = (await response.json()) as { userId: string };
  if (response.status !== 201) throw new Error(`Cannot register: ${JSON.stringify(body)}`);
  return { ...sent, userId: body.userId };
}

export async function signedIn(platform: Sender, { username, password }: { username: string; password: string }): Promise<string> {
  const response = await platform.request("/api/auth/authenticate", { method: "POST", json: { username, password } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Cannot sign in: ${text}`);
  return text;
}

