import { gatewayService } from "../src/compose/gateway.ts";
import { readSettings } from "../src/env.ts";
import { gatewaySettings } from "../src/settings/services.ts";
import { bound, isolate, network, scalarAsset, worker } from "./isolate.ts";

export default worker({
  application: "gateway",
  build: (env) =>
    gatewayService(readSettings(gatewaySettings, env), {
      ...isolate,
      users: bound(env, "USERS"),
      auth: bound(env, "AUTH"),
      admin: bound(env, "ADMIN"),
      discovery: bound(env, "DISCOVERY"),
      config: bound(env, "CONFIG"),
      network,
      holdsPlatform: false,
      documentationScript: scalarAsset(env),
    }),
  // Cloudflare sets this header itself, whatever a client sends (docs: HTTP request headers).
  fetch: (app, request) => app.fetch(request, { source: request.headers.get("cf-connecting-ip") ?? undefined }),
});
