import { adminSettings, authSettings, bridgeSettings, configSettings, discoverySettings, gatewaySettings, processSettings, type ServiceName, usersSettings } from "../../env.ts";

export type Mistake = { name: string; message: string; isMissing: boolean };

type Environment = Record<string, string | undefined>;

const SCHEMAS = { gateway: gatewaySettings, users: usersSettings, auth: authSettings, admin: adminSettings, discovery: discoverySettings, config: configSettings };

/** Read beside the schemas: where the file is, and by Workers and the configuration's readers. */
const BESIDE = ["SETTINGS_FILE", "CONFIG_PROFILE", "GATEWAY_URL"];

/** Every name that is a setting. */
export const KNOWN: ReadonlySet<string> = new Set([...[processSettings, bridgeSettings, ...Object.values(SCHEMAS)].flatMap(({ shape }) => Object.keys(shape)), ...BESIDE]);

/** What is wrong with the settings of the process itself. */
export function processMistakes(told: Environment): Mistake[] {
  return mistakesIn(processSettings, told);
}

/** What is wrong with the settings of each service, each mistake once. */
export function serviceMistakes(settings: (service: ServiceName) => Environment, services: readonly ServiceName[]): Mistake[] {
  const all = services.flatMap((service) => mistakesIn(SCHEMAS[service], settings(service)));
  return [...new Map(all.map((mistake) => [`${mistake.name} ${mistake.message}`, mistake])).values()];
}

type Schema = { safeParse: (value: unknown) => { success: boolean; error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined } };

function mistakesIn(schema: Schema, env: Environment): Mistake[] {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const issues = schema.safeParse(given).error?.issues ?? [];
  return issues.map(({ path, message }) => {
    const name = String(path[0] ?? "");
    return { name, message: [...path.slice(1).map(String), message].join(": "), isMissing: given[name] === undefined };
  });
}
