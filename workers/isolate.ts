import { jsonLog } from "../src/http/log.ts";
import type { Fetch } from "../src/http/fetch.ts";

/** Another Worker, bound to this one. */
type ServiceBinding = { fetch: Fetch };

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

/** Builds once per isolate, at its first request. */
export function perIsolate<Built>(build: (env: Env) => Built): (env: Env) => Built {
  let built: Built | undefined;
  return (env) => {
    built ??= build(env);
    return built;
  };
}
