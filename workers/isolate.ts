import { jsonLog } from "../src/http/log.ts";
import type { Fetch } from "../src/http/fetch.ts";
import { Problem } from "../src/http/problem.ts";
import { profilesOf, readConfiguration } from "../src/properties/read-configuration.ts";
import { LIVENESS, unbuilt } from "./unbuilt.ts";

/** Another Worker, bound to this one. */
type ServiceBinding = { fetch: Fetch };

const RETRY_AFTER_S = 5;

/** Text settings and service bindings, by name. */
export type Env = Record<string, unknown>;

export type Context = { waitUntil: (promise: Promise<unknown>) => void };

/** What every Worker is composed with; requests of one isolate do not wait for each other's promises. */
export const isolate = {
  log: jsonLog((line) => console.log(line), Date.now),
  now: Date.now,
  sharesPending: false,
  identity: network,
};

export function network(request: Request): Promise<Response> {
  return fetch(request);
}

/** The bound Worker called `name`, or the network where there is no such binding. */
export function bound(env: Env, name: string): Fetch {
  const binding = env[name] as ServiceBinding | undefined;
  return binding ? (request) => binding.fetch(request) : network;
}

/** Scalar's script, as `wrangler.toml` gives it to each Worker: the one file among its assets. */
export function scalarAsset(env: Env): Fetch {
  const assets = env["ASSETS"] as ServiceBinding | undefined;
  const script = ({ url, headers }: Request) => new Request(new URL("/standalone.js", url), { headers });
  return (request) => (assets ? assets.fetch(script(request)) : new Response(null, { status: 404 }));
}

type Serving<Built> = {
  /** Whose configuration it reads; the configuration server reads none. */
  application?: string;
  build: (env: Env) => Built;
  fetch: (built: Built, request: Request) => Response | Promise<Response>;
  /** What the cron trigger of `wrangler.toml` does. */
  sweep?: (built: Built) => Promise<unknown>;
  /** What is done after the answer to a request that may have changed something. */
  after?: (built: Built) => Promise<unknown>;
};

/** A Worker that builds its service once per isolate, at its first request, from its settings and those at `CONFIG_URL`. */
export function worker<Built>({ application, build, fetch, sweep, after }: Serving<Built>) {
  let built: Built | undefined;
  // Of requests that come together each reads for itself: none may wait for what another has begun.
  const service = async (env: Env): Promise<Built> => {
    if (built !== undefined) return built;
    const configuration = application === undefined ? {} : await configurationOf(application, env);
    return (built ??= build({ ...configuration, ...env }));
  };
  const instead = (request: Request, { env, cause }: { env: Env; cause?: unknown }) =>
    unbuilt({ ...isolate, name: application ?? "config-server", documentationScript: scalarAsset(env) })(request, cause);
  return {
    async fetch(request: Request, env: Env, context: Context): Promise<Response> {
      if (built === undefined && new URL(request.url).pathname === LIVENESS) return instead(request, { env });
      let serving: Built;
      try {
        serving = await service(env);
      } catch (cause) {
        return instead(request, { env, cause });
      }
      const response = await fetch(serving, request);
      if (after && request.method !== "GET") context.waitUntil(after(serving));
      return response;
    },
    scheduled(_: unknown, env: Env, context: Context): void {
      if (sweep) context.waitUntil(service(env).then(sweep));
    },
  };
}

/** What the configuration server has for an application; the Worker's own variables and secrets win over it. */
async function configurationOf(application: string, env: Env): Promise<Record<string, string>> {
  const { CONFIG_URL: url, CONFIG_PROFILE: profiles } = env;
  if (typeof url !== "string" || url === "") return {};
  try {
    return await readConfiguration({ url, application, profiles: profilesOf(profiles), fetch: bound(env, "CONFIG"), now: Date.now });
  } catch (cause) {
    throw new Problem("UPSTREAM_UNAVAILABLE_503", "The configuration is not available", { retryAfter: RETRY_AFTER_S, cause });
  }
}
