import { authService } from "../src/compose/auth.ts";
import { readSettings } from "../src/env.ts";
import { authSettings } from "../src/settings/services.ts";
import { bound, isolate, network, scalarAsset, worker } from "./isolate.ts";

export default worker({
  application: "auth-service",
  build: (env) =>
    authService(readSettings(authSettings, env), { ...isolate, users: bound(env, "USERS"), database: network, broker: network, documentationScript: scalarAsset(env) }),
  fetch: (app, request) => app.fetch(request),
});
