import { processMistakes } from "../src/doctor/settings/mistakes.ts";
import { type Environment, readSettings } from "../src/env.ts";
import { processSettings } from "../src/settings/process.ts";
import { peekInstallation } from "./doctor/installation.ts";
import { environment } from "./environment.ts";

/** What a process that is told this would start with, as far as it can be read; nothing is made. */
export function readTold(told: Environment) {
  const mistakes = processMistakes(told);
  // What is wrong is as if it were not said: the rest can still be looked at.
  const usable = Object.fromEntries(Object.entries(told).filter(([name]) => !mistakes.some((mistake) => mistake.name === name)));
  const given = readSettings(processSettings, usable);
  const kept = peekInstallation(given.GATEHOUSE_DATA);
  const broker = { username: "gatehouse", password: kept.installation.BROKER_PASSWORD };
  const { made, set } = environment({ told: usable, given, installation: kept.installation, broker, database: undefined });
  // The embedded one is opened in process, by an address of its own.
  return { given, kept, set, made: { DATABASE_URL: "postgres://embedded@localhost/gatehouse", ...made }, mistakes };
}
