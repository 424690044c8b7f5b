import type { Database } from "../database/client.ts";
import { unauthenticated } from "../http/bearer.ts";
import type { Fetch } from "../http/fetch.ts";
import type { Sharing } from "../http/held-token.ts";
import { shell, type ShellNeeds } from "../http/shell.ts";
import { dashboard, DASHBOARD_POLICY, type DashboardNeeds } from "./dashboard/dashboard.ts";
import { serveEureka } from "./eureka/app.ts";
import { describeEureka } from "./eureka/documents.ts";
import { sweepLeases } from "./lease-store.ts";
import { listing } from "./listing.ts";
import { registryReader } from "./registry-reader.ts";

export type DiscoveryNeeds = Omit<ShellNeeds, "name" | "title" | "description" | "verify" | "tags"> &
  Sharing & {
    db: Database;
    /** Judges the credential that services register and read with. */
    verify: (header: string | undefined) => Promise<boolean>;
    /** Whether nobody is evicted while too few renew. */
    isSelfPreserving: boolean;
    /** How instances are reached when the page asks how they are. */
    network: Fetch;
  } & Pick<DashboardNeeds, "platform" | "isLoopback" | "username">;

const NAME = "discovery-service";

/** The discovery service, and `sweep`, which is to run every few seconds. */
export function discovery(needs: DiscoveryNeeds) {
  const { db, now, isSelfPreserving } = needs;
  const { app } = shell({
    ...needs,
    name: NAME,
    title: "Discovery service",
    description: "Knows which services there are and where. It speaks Eureka's wire, in JSON and XML, below `/eureka` and `/eureka/v2`.",
    tags: { Registration: "What an instance does for itself", Queries: "Who is there", Operation: "What an operator does to an instance" },
    // The registry has a credential of its own, which Eureka's clients can send.
    verify: () => Promise.reject(unauthenticated("No bearer token is taken here")),
    contentSecurityPolicy: DASHBOARD_POLICY,
  });
  const sweep = () => sweepLeases(db, { now, isSelfPreserving });
  const reader = registryReader({ ...needs, sweep });
  serveEureka(app, { ...needs, reader, sweep });
  describeEureka(app.openAPIRegistry);
  dashboard(app, { ...needs, instances: listing({ ...needs, reader }) });
  return { app, sweep };
}
