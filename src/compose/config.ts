import { config } from "../config/app.ts";
import { bundledConfiguration } from "../config/bundled.ts";
import { bundledFiles, type ConfigFiles } from "../config/files.ts";
import type { Fetch } from "../http/fetch.ts";
import type { HealthCheck } from "../http/health.ts";
import { vault } from "../secrets/vault.ts";
import type { ConfigSettings } from "../settings/services.ts";
import { type Arrival, counted, insightOf, type Runtime } from "./runtime.ts";
import { neighbourCheck, secretsNeeds, shared } from "./systems.ts";

/** `files` is where configuration is read from; the platform's own, as it was bundled, unless given. */
export function configService(settings: ConfigSettings, outside: Runtime & { secrets: Fetch; files?: ConfigFiles }) {
  const insight = insightOf("config-server", settings, outside);
  const runtime = counted(outside, insight.metrics);
  const { files = bundledFiles(bundledConfiguration) } = outside;
  const { CONFIG_SERVER_ROLE_ID: roleId, CONFIG_SERVER_SECRET_ID: secretId } = settings;
  const secrets = vault({ ...secretsNeeds(settings, runtime), roleId, secretId });
  return config({
    ...shared(settings, runtime),
    ...insight,
    files,
    secrets,
    credential: { username: settings.CONFIG_USERNAME, password: settings.CONFIG_PASSWORD },
    isLoopback: settings.LOOPBACK,
    target: ({ env }: { env: Arrival | undefined }) => env?.target,
    health: { configuration: configurationCheck(files), secretsStore: neighbourCheck(secrets, runtime.now) },
  });
}

function configurationCheck({ at }: ConfigFiles): HealthCheck {
  return async () => {
    const snapshot = await at(undefined);
    if (!snapshot) return { status: "DOWN", details: { error: "Nothing is committed" } };
    const { names, revision } = snapshot;
    return { status: "UP", details: { files: names.size, ...(revision !== undefined && { version: revision }) } };
  };
}
