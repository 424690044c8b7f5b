import { adminService, authService, gatewayService, usersService } from "../src/compose.ts";
import { adminSettings, authSettings, gatewaySettings, readSettings, type ServiceName, usersSettings } from "../src/env.ts";
import type { Fetch } from "../src/http/fetch.ts";
import type { Backends } from "./backends.ts";
import { network } from "./isolate.ts";
import type { Handler } from "./process.ts";

/** A service of this process, and what is to be done for it every few seconds. */
export type Running = { fetch: Handler; sweep?: () => Promise<unknown> };

/** Composes the services that this process runs; they call each other in memory, and the others over the network. */
export function composeServices(backends: Backends): Partial<Record<ServiceName, Running>> {
  const { given, log, database, env, identity, secrets, broker, policies } = backends;
  const running: Partial<Record<ServiceName, Running>> = {};
  const to = (name: ServiceName): Fetch => async (request) => (running[name] ? running[name].fetch(request, { source: undefined }) : network(request));
  const runtime = {
    log,
    now: Date.now,
    sharesPending: true,
    identity: identity?.fetch ?? network,
    database: database?.fetch ?? network,
    secrets: secrets?.fetch ?? network,
    broker: broker?.fetch ?? network,
  };
  const links = [{ title: "OpenID configuration", url: `${env["IDENTITY_URL"]}/realms/${env["IDENTITY_REALM"] ?? "platform"}/.well-known/openid-configuration` }];
  const compose: Record<ServiceName, () => Running> = {
    users: () => withSweep(usersService(readSettings(usersSettings, env), runtime)),
    auth: () => ({ fetch: handler(authService(readSettings(authSettings, env), { ...runtime, users: to("users") })) }),
    admin: () => withSweep(adminService(readSettings(adminSettings, env), { ...runtime, policies })),
    gateway: () => {
      const behind = { users: to("users"), auth: to("auth"), admin: to("admin"), network, links };
      const app = gatewayService(readSettings(gatewaySettings, env), { ...runtime, ...behind });
      return { fetch: (request, arrival) => app.fetch(request, arrival) };
    },
    discovery: () => { throw new Error("not yet"); },
    config: () => { throw new Error("not yet"); },
  };
  for (const name of given.SERVICES.filter((name) => name !== "discovery" && name !== "config")) running[name] = compose[name]();
  return running;
}

type App = { fetch: (request: Request) => Response | Promise<Response> };

function handler(app: App): Handler {
  return (request) => app.fetch(request);
}

function withSweep({ app, sweep }: { app: App; sweep: () => Promise<unknown> }): Running {
  return { fetch: handler(app), sweep };
}
