import { discoveryService } from "../src/compose/discovery.ts";
import { readSettings } from "../src/env.ts";
import { discoverySettings } from "../src/settings/services.ts";
import { bound, type Env, isolate, network, scalarAsset, worker } from "./isolate.ts";

export default worker({
  application: "discovery-service",
  build: (env) => {
    const outside = { ...isolate, database: network, network, documentationScript: scalarAsset(env) };
    return discoveryService(readSettings(discoverySettings, env), { ...outside, platform: platform(env) });
  },
  fetch: ({ app }, request) => app.fetch(request),
  sweep: ({ sweep }) => sweep(),
});

/** Between requests nothing runs here that could renew a lease: the platform's own Workers are asked how they are. */
function platform(env: Env) {
  const behind = { USERS: "USER-SERVICE", AUTH: "AUTH-SERVICE", ADMIN: "ADMIN-SERVICE", CONFIG: "CONFIG-SERVER" };
  const members = Object.entries(behind).flatMap(([binding, app]) => (env[binding] ? [{ app, url: "http://worker.localhost", fetch: bound(env, binding) }] : []));
  // A binding to the gateway, which itself has one to this Worker, could not be deployed: its address has to do.
  const { GATEWAY_URL: url } = env;
  return typeof url === "string" ? [{ app: "GATEWAY", url, fetch: network, publicUrl: url }, ...members] : members;
}
