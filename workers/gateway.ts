import { gatewayService } from "../src/compose.ts";
import { gatewaySettings, readSettings } from "../src/env.ts";
import { bound, type Env, isolate, network, perIsolate } from "./isolate.ts";

const service = perIsolate((env) =>
  gatewayService(readSettings(gatewaySettings, env), {
    ...isolate,
    users: bound(env, "USERS"),
    auth: bound(env, "AUTH"),
    admin: bound(env, "ADMIN"),
    network,
  }),
);

export default {
  // Cloudflare sets this header itself, whatever a client sends (docs: HTTP request headers).
  fetch: (request: Request, env: Env) => service(env).fetch(request, { source: request.headers.get("cf-connecting-ip") ?? undefined }),
};
