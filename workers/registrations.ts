import { hostname, networkInterfaces } from "node:os";
import type { Fetch } from "../src/http/fetch.ts";
import { describe, type Log } from "../src/http/log.ts";
import { registry } from "../src/registry/eureka.ts";
import { registration } from "../src/registry/registration.ts";
import { isLoopback } from "./environment.ts";
import { type Closers, repeat } from "./process.ts";

export type Listening = { name: string; port: number };

/** As often as Spring's clients; a lease lasts three of these. */
const BEAT_MS = 30_000;

/** Registers the services of this process, keeps them registered, and takes them off at its end. */
export async function keepRegistered(services: Listening[], on: { url: string; fetch: Fetch; host: string; log: Log; closers: Closers }): Promise<void> {
  const { url, fetch, host, log, closers } = on;
  const now = Date.now;
  const at = registry({ url, fetch, now });
  const place = isLoopback(host) ? { hostName: "localhost", ipAddr: "127.0.0.1" } : { hostName: hostname(), ipAddr: ownAddress() };
  const kept = services.map((service) => registration({ registry: at, instance: { ...service, ...place }, now, log }));
  const beat = () => Promise.all(kept.map((one) => one.beat()));
  await beat();
  const onError = (error: unknown) => log({ level: "error", service: "platform", message: "Cannot register", error: describe(error, true) });
  repeat(beat, { interval: BEAT_MS, onError, closers });
  closers.push(() => Promise.all(kept.map((one) => one.cancel())));
}

/** The address that other machines find this one at, as far as it knows itself. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((of = []) => of);
  return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}
