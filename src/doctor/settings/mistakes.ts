import { type Environment, said, type ServiceName } from "../../env.ts";
import { bridgeSettings, processSettings } from "../../settings/process.ts";
import { serviceSettings } from "../../settings/services.ts";

export type Mistake = { name: string; message: string; isMissing: boolean };

/** Read beside the schemas: where the file is, and by Workers and the configuration's readers. */
const BESIDE = ["SETTINGS_FILE", "CONFIG_PROFILE", "GATEWAY_URL"];

/** Every name that is a setting. */
export const KNOWN: ReadonlySet<string> = new Set([...[processSettings, bridgeSettings, ...Object.values(serviceSettings)].flatMap(({ shape }) => Object.keys(shape)), ...BESIDE]);

/** What is wrong with the settings of the process itself. */
export function processMistakes(told: Environment): Mistake[] {
  return mistakesIn(processSettings, told);
}

/** What is wrong with the settings of each service, each mistake once. */
export function serviceMistakes(settings: (service: ServiceName) => Environment, services: readonly ServiceName[]): Mistake[] {
  const all = services.flatMap((service) => mistakesIn(serviceSettings[service], settings(service)));
  return [...new Map(all.map((mistake) => [`${mistake.name} ${mistake.message}`, mistake])).values()];
}

type Schema = { safeParse: (value: unknown) => { success: boolean; error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined } };

function mistakesIn(schema: Schema, env: Environment): Mistake[] {
  const given = said(env);
  const issues = schema.safeParse(given).error?.issues ?? [];
  return issues.map(({ path, message }) => {
    const name = String(path[0] ?? "");
    return { name, message: [...path.slice(1).map(String), message].join(": "), isMissing: given[name] === undefined };
  });
}
