import { authService } from "../src/compose.ts";
import { authSettings, readSettings } from "../src/env.ts";
import { bound, type Env, isolate, perIsolate } from "./isolate.ts";

const service = perIsolate((env) => authService(readSettings(authSettings, env), { ...isolate, users: bound(env, "USERS") }));

export default {
  fetch: (request: Request, env: Env) => service(env).fetch(request),
};
