import type { ServicePlace } from "../../src/doctor/services/checks.ts";
import { type Environment, type ServiceName, SERVICES } from "../../src/env.ts";
import { portsOf, TITLES } from "../applications.ts";
import { type Given, isEverywhere, isLoopback } from "../environment.ts";

/** Services that others call by a setting, and who calls them. */
const CALLED: readonly { name: ServiceName; by: readonly ServiceName[]; setting: string }[] = [
  { name: "users", by: ["gateway", "auth"], setting: "USERS_URL" },
  { name: "auth", by: ["gateway"], setting: "AUTH_URL" },
  { name: "admin", by: ["gateway"], setting: "ADMIN_URL" },
];

/** Where each service of the platform is that this process runs, or calls. */
export function servicePlaces(given: Given, env: Environment): ServicePlace[] {
  const ports = portsOf(given);
  const runs = (name: ServiceName) => given.SERVICES.includes(name);
  const host = isLoopback(given.HOST) || isEverywhere(given.HOST) ? "localhost" : given.HOST;
  const origin = `http://${host.includes(":") ? `[${host}]` : host}`;
  const own = SERVICES.filter(runs).map((name) => ({ name: TITLES[name], url: `${origin}:${ports[name]}`, setting: `${name.toUpperCase()}_PORT`, isOwn: true }));
  const others = CALLED.filter(({ name, by }) => !runs(name) && by.some(runs));
  return [...own, ...others.map(({ name, setting }) => ({ name: TITLES[name], url: env[setting] ?? `http://localhost:${ports[name]}`, setting, isOwn: false }))];
}
