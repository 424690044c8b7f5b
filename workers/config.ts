import { configService } from "../src/compose/config.ts";
import { readSettings } from "../src/env.ts";
import { configSettings } from "../src/settings/services.ts";
import { isolate, network, scalarAsset, worker } from "./isolate.ts";

export default worker({
  build: (env) => configService(readSettings(configSettings, env), { ...isolate, secrets: network, documentationScript: scalarAsset(env) }),
  fetch: (app, request) => app.fetch(request, { source: undefined }),
});
