import { adminService } from "../src/compose.ts";
import { adminSettings, readSettings } from "../src/env.ts";
import { type Context, type Env, isolate, network, perIsolate } from "./isolate.ts";

const service = perIsolate((env) =>
  adminService(readSettings(adminSettings, env), { ...isolate, database: network, secrets: network, broker: network, policies: {} }),
);

export default {
  fetch: (request: Request, env: Env) => service(env).app.fetch(request),
  scheduled: (_: unknown, env: Env, context: Context) => context.waitUntil(service(env).sweep()),
};
