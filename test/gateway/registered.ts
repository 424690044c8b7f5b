import type { Fetch } from "../../src/http/fetch.ts";
import { testRegistry, wired } from "../registry/server.ts";
import { gatewayBefore, recorder } from "./platform.ts";

type Parts = NonNullable<Parameters<typeof gatewayBefore>[0]> & { names?: string[]; sharesPending?: boolean };

export const refused = () => Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) }));

/** A gateway that leads to the applications of a registry; `hosts` answers for the instances, by host and port. */
export function gatewayWithRegistry({ names = ["orders"], sharesPending = true, ...parts }: Parts = {}) {
  const clock = { offset: 0, now: () => Date.now() + clock.offset };
  const registry = testRegistry({ now: clock.now });
  const hosts: Record<string, { fetch: Fetch }> = {};
  const network: Fetch = (request) => hosts[new URL(request.url).host]?.fetch(request) ?? refused();
  const applications = { registry: registry.client, names, fetch: network, sharesPending };
  const platform = gatewayBefore({ now: clock.now, applications, ...parts });
  /** One more instance, with what reaches it. */
  const instance = (fields: Record<string, unknown> = {}, answer?: Parameters<typeof recorder>[0]) => {
    const one = wired(fields);
    const service = recorder(answer);
    registry.add(one);
    hosts[`${String(one["hostName"])}:${(one["port"] as { $: number }).$}`] = service;
    return service;
  };
  return { ...platform, registry, hosts, clock, instance };
}
