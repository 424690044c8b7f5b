import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { SettingsError } from "../src/env.ts";
import type { Fetch } from "../src/http/fetch.ts";
import { describe, type Log } from "../src/http/log.ts";
import { isLoopbackUrl } from "../src/http/loopback.ts";
import { registry } from "../src/registry/eureka.ts";
import { registration } from "../src/registry/registration.ts";
import { isEverywhere, isLoopback } from "./environment.ts";
import { type Closers, repeat } from "./process.ts";

export type Listening = { name: string; port: number };

/** What others find the services of this process by. */
export type Place = { hostName: string; ipAddr: string };

/** As often as Spring's clients; a lease lasts three of these. */
const BEAT_MS = 30_000;

/** Registers the services of this process, keeps them registered, and takes them off at its end. */
export async function keepRegistered(services: Listening[], on: { url: string; fetch: Fetch; place: Place; log: Log; closers: Closers }): Promise<void> {
  const { url, fetch, place, log, closers } = on;
  const now = Date.now;
  const at = registry({ url, fetch, now });
  const kept = services.map((service) => registration({ registry: at, instance: { ...service, ...place }, now, log }));
  const beat = () => Promise.all(kept.map((one) => one.beat()));
  await beat();
  const onError = (error: unknown) => log({ level: "error", service: "platform", message: "Cannot register", error: describe(error, true) });
  repeat(beat, { interval: BEAT_MS, onError, closers });
  closers.push(() => Promise.all(kept.map((one) => one.cancel())));
}

/**
 * What to register: `INSTANCE_HOST`, else the address listened on, else this machine's name. Throws a SettingsError
 * where another machine's registry would be told of an address that leads to itself.
 */
export function instanceAddress({ HOST: listening, INSTANCE_HOST: named }: { HOST: string; INSTANCE_HOST?: string | undefined }, registries: string): Place {
  const host = named ?? listening;
  if (named === undefined && isEverywhere(host)) return { hostName: hostname(), ipAddr: ownAddress() };
  if (!isLoopback(host)) return { hostName: host, ipAddr: isIP(host) === 0 ? ownAddress() : host };
  if (!registries.split(",").every(isLoopbackUrl)) {
    throw new SettingsError(`Cannot register "${host}" at another machine's registry: set HOST to an address that others reach, or INSTANCE_HOST to the name they know`);
  }
  return { hostName: "localhost", ipAddr: "127.0.0.1" };
}

/** The address that other machines find this one at, as far as it knows itself. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((of = []) => of);
  return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}
