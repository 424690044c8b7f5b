import { adminService } from "../src/compose/admin.ts";
import { readSettings } from "../src/env.ts";
import { adminSettings } from "../src/settings/services.ts";
import { isolate, network, scalarAsset, worker } from "./isolate.ts";

export default worker({
  application: "admin-service",
  build: (env) => {
    const outside = { ...isolate, database: network, secrets: network, broker: network, network, documentationScript: scalarAsset(env) };
    return adminService(readSettings(adminSettings, env), { ...outside, policies: {} });
  },
  fetch: ({ app }, request) => app.fetch(request),
  sweep: ({ sweep, relay, webhooks }) => Promise.all([sweep(), relay.run(), webhooks.run()]),
  after: ({ relay, webhooks }) => relay.run().then(webhooks.run),
});
