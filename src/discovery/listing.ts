import type { Database } from "../database/client.ts";
import type { Sharing } from "../http/held-token.ts";
import type { Entry } from "./entry.ts";
import type { Instance } from "./instances.ts";
import { readRenewals, type Renewal } from "./lease-store.ts";
import { ordered, type RegistryReader } from "./registry-reader.ts";

type ListingNeeds = Sharing & { db: Database; reader: RegistryReader };

/**
 * Lists all instances, those that are gone included, by application and id. What they say of themselves is read once
 * and then what changed; a heartbeat changes nothing there, so these are read each time, once for all who wait.
 */
export function listing({ db, now, sharesPending, reader }: ListingNeeds): () => Promise<Instance[]> {
  let pending: Promise<Instance[]> | undefined;

  async function list(): Promise<Instance[]> {
    const { entries } = await reader.read();
    const renewals = await readRenewals(db, now());
    return ordered([...entries.values()]).map((entry) => instanceOf(entry, renewals.get(entry.version)));
  }

  return () => {
    if (!sharesPending) return list();
    pending ??= list().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}

/** Without a `renewal`, it has changed or gone since it was read: its lease was not over then. */
function instanceOf({ app, id, details, status, overridden, registeredAt, upAt, renewedAt, leaseSeconds, gone }: Entry, renewal: Renewal | undefined): Instance {
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
    lastRenewedAt: renewal?.renewedAt ?? renewedAt,
    leaseSeconds,
    isOver: renewal?.isOver ?? false,
    ...(gone && { gone }),
  };
}
