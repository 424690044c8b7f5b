import type { Broker } from "../broker/kafka-rest.ts";
import type { Database } from "../database/client.ts";
import { beginCall } from "../http/call.ts";
import { shell, type ShellNeeds } from "../http/shell.ts";
import type { IdentityAdministration } from "../identity/administration.ts";
import type { SecretsStore } from "../secrets/vault.ts";
import { approleOperations } from "./approles/app.ts";
import { audit } from "./audit.ts";
import { auditStore } from "./audit-store.ts";
import { clientOperations } from "./clients/app.ts";
import { sweepCreations } from "./clients/creation.ts";
import { creationStore } from "./clients/creation-store.ts";
import { operations } from "./operate.ts";
import type { Permissions } from "./permissions.ts";
import { policyOperations } from "./policies/app.ts";
import { roleOperations } from "./roles/app.ts";
import { secretOperations } from "./secrets/app.ts";
import { topicOperations } from "./topics/app.ts";

export type AdminNeeds = Pick<ShellNeeds, "now" | "log" | "verify" | "health" | "timeout"> & {
  db: Database;
  identity: IdentityAdministration;
  secrets: SecretsStore;
  broker: Broker;
  permissions: Permissions;
  /** Service → the text of its `{service}-policy.hcl`. */
  policies: Readonly<Record<string, string>>;
  /** Seconds, or a duration such as `720h`, that a new AppRole's secret-ids last. */
  secretIdTtl: number | string;
  newId: () => string;
};

/** The administration service, and `sweep`, which is to run every few seconds. */
export function admin(needs: AdminNeeds) {
  const { db, now, timeout } = needs;
  const audited = audit({ ...needs, audits: auditStore(db) });
  const creating = { ...needs, creations: creationStore(db) };
  const { app, on } = shell({
    ...needs,
    around: audited.around,
    name: "admin-service",
    title: "Administration service",
    description: "Clients and realm roles, AppRoles, secrets and their policies, topics: every call leaves an audit event.",
  });
  const operate = operations(on, audited);
  clientOperations(operate, creating);
  roleOperations(operate, needs);
  approleOperations(operate, needs);
  secretOperations(operate, needs);
  policyOperations(operate, needs);
  topicOperations(operate, needs);

  return {
    app,
    async sweep(): Promise<void> {
      await sweepCreations(creating, beginCall(new Headers(), { now: now(), limit: timeout }));
      await audited.sweep();
    },
  };
}
