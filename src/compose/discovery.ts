import { discovery } from "../discovery/app.ts";
import type { PlatformInstance } from "../discovery/dashboard/view.ts";
import { basicVerifier } from "../http/basic.ts";
import type { Fetch } from "../http/fetch.ts";
import type { DiscoverySettings } from "../settings/services.ts";
import { counted, insightOf, REQUEST_TIMEOUT_MS, type Runtime } from "./runtime.ts";
import { databaseCheck, databaseOf } from "./systems.ts";

/** `platform`: the services that do not register themselves, as on Workers; the page asks them how they are. */
export function discoveryService(
  settings: DiscoverySettings,
  outside: Omit<Runtime, "identity"> & { database: Fetch; network: Fetch; platform?: readonly PlatformInstance[] },
) {
  const insight = insightOf("discovery-service", settings, outside);
  const runtime = counted({ ...outside, applications: outside.network }, insight.metrics);
  const { log, now, sharesPending, documentationScript, database, platform = [], applications } = runtime;
  const db = databaseOf(settings, { database, now });
  const { DISCOVERY_USERNAME: username, DISCOVERY_PASSWORD: password } = settings;
  return discovery({
    ...insight,
    log,
    now,
    sharesPending,
    documentationScript,
    timeout: REQUEST_TIMEOUT_MS,
    db,
    verify: basicVerifier({ username, password }),
    username,
    isSelfPreserving: settings.DISCOVERY_SELF_PRESERVATION,
    isLoopback: settings.LOOPBACK,
    platform,
    network: applications,
    health: { db: databaseCheck(db) },
  });
}
