import { usersService } from "../src/compose/users.ts";
import { readSettings } from "../src/env.ts";
import { usersSettings } from "../src/settings/services.ts";
import { isolate, network, scalarAsset, worker } from "./isolate.ts";

export default worker({
  application: "user-service",
  build: (env) => usersService(readSettings(usersSettings, env), { ...isolate, database: network, broker: network, documentationScript: scalarAsset(env) }),
  fetch: ({ app }, request) => app.fetch(request),
  sweep: ({ sweep, relay }) => Promise.all([sweep(), relay.run()]),
  after: ({ relay }) => relay.run(),
});
