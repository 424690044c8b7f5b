import { type Mistake, serviceMistakes } from "../src/doctor/settings/mistakes.ts";
import { PROVISIONED } from "../src/doctor/settings/needed.ts";
import { type Environment, type ServiceName, SettingsError, settingsRefused } from "../src/env.ts";
import { ALTERNATIVES, bothNamed } from "../src/settings/alternatives.ts";
import { type Configuration, readConfigurations, refuseUnusable, settingsOf } from "./configurations.ts";
import { network } from "./isolate.ts";
import { instanceAddress } from "./registrations.ts";
import { readTold } from "./told.ts";

/**
 * Throws a SettingsError that names every mistake in what the process and each of its services are told, before anything is opened
 * or made. Gives what another's configuration server has for the services: it is read here, and nowhere again.
 */
export async function checkTold(told: Environment): Promise<Configuration[]> {
  const { given, made, set, mistakes } = readTold(told);
  const env: Environment = { ...made, ...set };
  const configurations = told["CONFIG_URL"] ? await readConfigurations(given.SERVICES, env, network) : [];
  const isRead = configurations.every(({ reason }) => reason === undefined);
  const settings = (service: ServiceName) => settingsOf(service, { made, set, configurations });
  // What is missing may be in what could not be read, or in the operator's own folder, which our configuration server is yet to read.
  const isSettled = ({ isMissing }: Mistake) => !isMissing || (isRead && given.CONFIG_DIR === undefined);
  const ofServices = given.SERVICES.flatMap((service) => serviceMistakes(settings, [service]).filter((mistake) => service === "config" || isSettled(mistake)));
  refuseMistakes([...mistakes, ...ofServices.filter(({ name }) => !mistakes.some((mistake) => mistake.name === name))]);
  refuseUnusable(configurations);
  const ambiguous = ALTERNATIVES.find(({ pair: [[one], [other]] }) => given[one] && given[other]);
  if (ambiguous) throw new SettingsError(bothNamed(ambiguous));
  const { DISCOVERY_URL: registry } = env;
  if (registry && given.SERVICES.some((name) => name !== "discovery")) instanceAddress(given, registry);
  return configurations;
}

/** Throws a SettingsError that names all of them, if there are any. */
export function refuseMistakes(mistakes: readonly Mistake[]): void {
  if (mistakes.length === 0) return;
  const lines = [...new Set(mistakes.map(({ name, message }) => `${name}: ${message}`))];
  const isUnprovisioned = mistakes.some(({ name, isMissing }) => isMissing && name in PROVISIONED);
  throw settingsRefused(lines, isUnprovisioned ? "Run `npm run provision`, or set them" : undefined);
}
