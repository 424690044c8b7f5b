import type { Configured, ServicePlace } from "../../src/doctor/services/checks.ts";
import { type Environment, type ServiceName, SERVICES, SettingsError } from "../../src/env.ts";
import { profilesOf, readConfiguration } from "../../src/properties/read-configuration.ts";
import { isOtherRealm } from "../../src/settings/realm.ts";
import { APPLICATIONS, portsOf, TITLES } from "../applications.ts";
import { type Given, isEverywhere, isLoopback } from "../environment.ts";
import { network } from "../isolate.ts";

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

type Configuration = Configured & { settings: Environment };

/** What a service reads: what is made for it, over that what the configuration server has, over all what is set. */
export function settingsOf(service: ServiceName, { made, set, configurations }: { made: Environment; set: Environment; configurations: readonly Configuration[] }): Environment {
  return { ...made, ...configurations.find(({ application }) => application === APPLICATIONS[service])?.settings, ...set };
}

/** What the configuration server has for each service that reads from it. */
export function readConfigurations(services: readonly ServiceName[], env: Environment): Promise<Configuration[]> {
  const { CONFIG_URL: url, CONFIG_PROFILE: profiles } = env;
  if (!url) return Promise.resolve([]);
  return Promise.all(
    services.filter((name) => name !== "config").map(async (name): Promise<Configuration> => {
      const application = APPLICATIONS[name];
      try {
        const settings = await readConfiguration({ url, application, profiles: profilesOf(profiles), fetch: network, now: Date.now });
        return { application, settings, isOtherRealm: isOtherRealm(settings, env) };
      } catch (error) {
        return { application, settings: {}, reason: error instanceof SettingsError ? error.message : "It cannot be read" };
      }
    }),
  );
}
