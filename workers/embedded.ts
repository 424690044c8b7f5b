import { bundledPolicies } from "../src/admin/policies/bundled.ts";
import { embeddedBroker } from "../src/broker/embedded/app.ts";
import { sweepBroker } from "../src/broker/embedded/sweep.ts";
import type { Database } from "../src/database/client.ts";
import { type Environment, SettingsError } from "../src/env.ts";
import type { Fetch } from "../src/http/fetch.ts";
import type { Log } from "../src/http/log.ts";
import { embeddedIdentity } from "../src/identity/embedded/app.ts";
import { provisionIdentity } from "../src/identity/embedded/provision.ts";
import { sweepIdentity } from "../src/identity/embedded/sweep.ts";
import { embeddedSecrets } from "../src/secrets/embedded/app.ts";
import { provisionSecrets, WrongKey } from "../src/secrets/embedded/provision.ts";
import { sweepSecrets } from "../src/secrets/embedded/sweep.ts";
import { PLATFORM_APPROLES, platformPolicies } from "../src/secrets/platform-policies.ts";
import { realmOf } from "../src/settings/realm.ts";
import { SECRETS_FILE } from "./data.ts";

/** A server of this process, and what is to be done for it every few seconds. */
export type Backend = { fetch: Fetch; sweep?: () => Promise<unknown> };

export type On = { db: Database; log: Log; now: () => number };

export async function openIdentity(on: On, env: Environment, { username, password }: { username: string; password: string }) {
  const needs = { ...on, url: env["IDENTITY_URL"] ?? "", realm: realmOf(env) };
  const { administratorCreated } = await provisionIdentity(needs, {
    secrets: {
      "auth-service": env["AUTH_SERVICE_CLIENT_SECRET"] ?? "",
      "user-service": env["USER_SERVICE_CLIENT_SECRET"] ?? "",
      "admin-service": env["ADMIN_SERVICE_CLIENT_SECRET"] ?? "",
    },
    administrator: { username, password },
  });
  const app = embeddedIdentity(needs);
  return { administratorCreated, fetch: (request: Request) => app.fetch(request), sweep: () => sweepIdentity(needs) };
}

export async function openSecrets(on: On, env: Environment, policies: Record<string, string>): Promise<Backend> {
  const needs = { ...on, sharesPending: true, key: env["SECRETS_KEY"] ?? "", randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
  await provisionSecrets(needs, {
    policies: platformPolicies(Object.keys({ ...bundledPolicies, ...policies })),
    approles: {
      "admin-service": { policies: [PLATFORM_APPROLES["admin-service"]], roleId: env["ADMIN_SERVICE_ROLE_ID"] ?? "", secretId: env["ADMIN_SERVICE_SECRET_ID"] ?? "" },
      "config-server": { policies: [PLATFORM_APPROLES["config-server"]], roleId: env["CONFIG_SERVER_ROLE_ID"] ?? "", secretId: env["CONFIG_SERVER_SECRET_ID"] ?? "" },
    },
  }).catch((error: unknown) => {
    throw error instanceof WrongKey ? new SettingsError(`${error.message}: set SECRETS_KEY, or restore ${SECRETS_FILE}`, { cause: error }) : error;
  });
  const app = embeddedSecrets(needs);
  return { fetch: (request) => app.fetch(request), sweep: () => sweepSecrets(needs) };
}

export function openBroker(on: On, credentials: { username: string; password: string }): Backend {
  const app = embeddedBroker({ ...on, credentials });
  return { fetch: (request) => app.fetch(request), sweep: () => sweepBroker(on) };
}
