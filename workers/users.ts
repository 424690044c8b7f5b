import { usersService } from "../src/compose.ts";
import { readSettings, usersSettings } from "../src/env.ts";
import { type Context, type Env, isolate, network, perIsolate } from "./isolate.ts";

const service = perIsolate((env) => usersService(readSettings(usersSettings, env), { ...isolate, database: network }));

export default {
  fetch: (request: Request, env: Env) => service(env).app.fetch(request),
  scheduled: (_: unknown, env: Env, context: Context) => context.waitUntil(service(env).sweep()),
};
