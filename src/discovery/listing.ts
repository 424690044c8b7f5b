import type { Database } from "../database/client.ts";
import type { Entry } from "./entry.ts";
import type { Instance } from "./instances.ts";
import { loadMirror } from "./mirror.ts";
import { ordered } from "./registry-reader.ts";

/** All instances, those that are gone included, by application and id. */
export async function listInstances(db: Database, now: number): Promise<Instance[]> {
  const { entries } = await loadMirror({ db, now: () => now, isSelfPreserving: true });
  return ordered([...entries.values()]).map(instanceOf);
}

function instanceOf({ app, id, details, status, overridden, registeredAt, upAt, renewedAt, leaseSeconds, gone }: Entry): Instance {
  const { hostName, ipAddr, port, securePort, homePageUrl, statusPageUrl, healthCheckUrl, metadata } = details;
  return {
    app,
    id,
    hostName,
    ipAddr,
    port: port.isEnabled ? port.number : undefined,
    securePort: securePort.isEnabled ? securePort.number : undefined,
    status,
    overriddenStatus: overridden === "UNKNOWN" ? undefined : overridden,
    homePageUrl,
    statusPageUrl,
    healthCheckUrl,
    metadata,
    registeredAt,
    upSince: upAt,
    lastRenewedAt: renewedAt,
    leaseSeconds,
    ...(gone && { gone }),
  };
}
