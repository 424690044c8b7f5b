import { adminService, authService, gatewayService, usersService } from "../src/compose.ts";
import { adminSettings, authSettings, gatewaySettings, readSettings, usersSettings } from "../src/env.ts";
import { describe } from "../src/http/log.ts";
import { openBackends } from "./backends.ts";
import { printBanner } from "./banner.ts";
import { network } from "./isolate.ts";
import { type Closers, type Listen, listener, repeat } from "./process.ts";

const SWEEP_MS = 5000;

/** The whole platform in one process: the gateway calls the services in memory, and each listens on its own port too. */
export async function startPlatform(listen: Listen, closers: Closers): Promise<void> {
  const began = performance.now();
  const backends = await openBackends(closers);
  const { given, log, database, env, identity, secrets, broker, policies } = backends;
  const runtime = { log, now: Date.now, sharesPending: true, identity: identity?.fetch ?? network, database: database.fetch };
  const users = usersService(readSettings(usersSettings, env), runtime);
  const toUsers = (request: Request) => users.app.fetch(request);
  const auth = authService(readSettings(authSettings, env), { ...runtime, users: toUsers });
  const toAuth = (request: Request) => auth.fetch(request);
  const admin = adminService(readSettings(adminSettings, env), {
    ...runtime,
    secrets: secrets?.fetch ?? network,
    broker: broker?.fetch ?? network,
    policies,
  });
  const toAdmin = (request: Request) => admin.app.fetch(request);
  const links = [{ title: "OpenID configuration", url: `${env["IDENTITY_URL"]}/realms/${env["IDENTITY_REALM"] ?? "platform"}/.well-known/openid-configuration` }];
  const gateway = gatewayService(readSettings(gatewaySettings, env), { ...runtime, users: toUsers, auth: toAuth, admin: toAdmin, network, links });

  const open = listener(listen, { host: given.HOST, closers });
  const urls = {
    Gateway: await open("gateway", given.GATEWAY_PORT, (request, arrival) => gateway.fetch(request, arrival)),
    "User service": await open("user service", given.USERS_PORT, toUsers),
    Authentication: await open("authentication service", given.AUTH_PORT, toAuth),
    Administration: await open("administration service", given.ADMIN_PORT, toAdmin),
    ...(identity && { Identity: await open("identity provider", given.IDENTITY_PORT, identity.fetch) }),
    ...(secrets && { Secrets: await open("secrets store", given.SECRETS_PORT, secrets.fetch) }),
    ...(broker && { Broker: await open("broker", given.BROKER_PORT, broker.fetch) }),
  };
  const onError = (error: unknown) => log({ level: "warn", service: "platform", message: "Cannot sweep", error: describe(error) });
  for (const { sweep } of [users, admin, identity, secrets, broker].filter((swept) => swept !== undefined)) {
    repeat(sweep, { interval: SWEEP_MS, onError, closers });
  }
  printBanner(backends, { began, urls, gateway: urls.Gateway });
}
