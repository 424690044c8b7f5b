import type { Configured } from "../src/doctor/services/checks.ts";
import { type Environment, type ServiceName, SettingsError } from "../src/env.ts";
import type { Fetch } from "../src/http/fetch.ts";
import { profilesOf, readConfiguration } from "../src/properties/read-configuration.ts";
import { isOtherRealm } from "../src/settings/realm.ts";
import { APPLICATIONS } from "./applications.ts";

export type Configuration = Configured & { settings: Environment };

/** What a service reads: what is made for it, over that what the configuration server has, over all what is set. */
export function settingsOf(service: ServiceName, { made, set, configurations }: { made: Environment; set: Environment; configurations: readonly Configuration[] }): Environment {
  return { ...made, ...configurations.find(({ application }) => application === APPLICATIONS[service])?.settings, ...set };
}

/** What the configuration server of `CONFIG_URL`, if there is one, has for each service that reads from it. */
export function readConfigurations(services: readonly ServiceName[], env: Environment, fetch: Fetch): Promise<Configuration[]> {
  const { CONFIG_URL: url, CONFIG_PROFILE: profiles } = env;
  if (!url) return Promise.resolve([]);
  return Promise.all(
    services.filter((name) => name !== "config").map(async (name): Promise<Configuration> => {
      const application = APPLICATIONS[name];
      try {
        const settings = await readConfiguration({ url, application, profiles: profilesOf(profiles), fetch, now: Date.now });
        return { application, settings, isOtherRealm: isOtherRealm(settings, env) };
      } catch (error) {
        return { application, settings: {}, reason: error instanceof SettingsError ? error.message : "It cannot be read" };
      }
    }),
  );
}

/** Throws a SettingsError when one could not be read, or would take its service to another realm. */
export function refuseUnusable(configurations: readonly Configuration[]): void {
  const unread = configurations.find(({ reason }) => reason !== undefined);
  if (unread) throw new SettingsError(unread.reason);
  const elsewhere = configurations.find((configuration) => configuration.isOtherRealm);
  if (elsewhere) throw new SettingsError(`Cannot take the realm of "${elsewhere.application}" from the configuration: set IDENTITY_REALM in the environment, for all services`);
}
