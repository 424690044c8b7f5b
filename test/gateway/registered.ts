import type { Fetch } from "../../src/http/fetch.ts";
import { testRegistry, wired } from "../registry/server.ts";
import { gatewayBefore, recorder } from "./platform.ts";

type Parts = NonNullable<Parameters<typeof gatewayBefore>[0]> & { names?: string[]; sharesPending?: boolean };

export const refused = () => Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) }));

export type RegisteredPlatform = ReturnType<typeof gatewayWithRegistry>;

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

/** Three instances, and how often each was asked. */
export function three(platform: RegisteredPlatform) {
  const services = [8081, 8082, 8083].map((port) => platform.instance({ port }));
  return { services, counts: () => services.map(({ seen }) => seen.splice(0).length) };
}

/** The statuses of so many requests for orders, one after another. */
export async function ask({ app }: Pick<RegisteredPlatform, "app">, times: number, init?: RequestInit): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i++) statuses.push((await app.request("/orders/x", init)).status);
  return statuses;
}
