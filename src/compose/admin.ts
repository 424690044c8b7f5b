import { admin } from "../admin/app.ts";
import { append } from "../admin/audit-log/chain-store.ts";
import { AUDIT_TRAIL } from "../admin/audit-log/entry.ts";
import { bundledPolicies } from "../admin/policies/bundled.ts";
import { kafkaRest } from "../broker/kafka-rest.ts";
import { recordReader } from "../broker/reading.ts";
import { consumer } from "../events/consumer.ts";
import { outboxHealth, outboxReading } from "../events/outbox.ts";
import { revocations } from "../events/revocations.ts";
import type { Fetch } from "../http/fetch.ts";
import { identityAdministration } from "../identity/administration.ts";
import { vault } from "../secrets/vault.ts";
import type { AdminSettings } from "../settings/services.ts";
import { type Webhooks, webhooks, type WebhooksNeeds } from "../webhooks/webhooks.ts";
import { counted, insightOf, type Runtime } from "./runtime.ts";
import { brokerNeeds, databaseCheck, databaseOf, identityNeeds, neighbourCheck, relayOf, secretsNeeds, shared } from "./systems.ts";

export function adminService(
  settings: AdminSettings,
  outside: Runtime & { database: Fetch; secrets: Fetch; broker: Fetch; network: Fetch; resolve?: Resolve; policies: Readonly<Record<string, string>> },
) {
  const insight = insightOf("admin-service", settings, outside);
  const runtime = counted({ ...outside, webhooks: outside.network }, insight.metrics);
  const { now, policies } = runtime;
  const db = databaseOf(settings, runtime);
  insight.metrics.gauges(outboxReading(db, now));
  const { ADMIN_SERVICE_CLIENT_ID: clientId, ADMIN_SERVICE_CLIENT_SECRET: clientSecret } = settings;
  const identity = identityAdministration(identityNeeds(settings, runtime, { clientId, clientSecret }));
  const { ADMIN_SERVICE_ROLE_ID: roleId, ADMIN_SERVICE_SECRET_ID: secretId } = settings;
  const secrets = vault({ ...secretsNeeds(settings, runtime), roleId, secretId });
  const broker = kafkaRest(brokerNeeds(settings, runtime));
  const following = { ...runtime, db, reader: recordReader(brokerNeeds(settings, runtime)), service: "admin-service" };
  const revoked = revocations(following);
  const auditTrail = consumer({ ...following, ...AUDIT_TRAIL, effect: append });
  const hooks = webhooksOf(settings, following);
  const { verify, ...rest } = shared(settings, runtime);
  const service = admin({
    ...rest,
    ...insight,
    verify: revoked.guarding(verify),
    db,
    identity,
    secrets,
    broker,
    policies: { ...bundledPolicies, ...policies },
    permissions: settings.PERMISSIONS,
    secretIdTtl: settings.SECRET_ID_TTL,
    newId: () => crypto.randomUUID(),
    auditTrail,
    webhooks: hooks,
    // One of its own: streams are to take nothing from what has to go on.
    reader: recordReader(brokerNeeds(settings, runtime)),
    health: {
      auditTrail: auditTrail.check,
      db: databaseCheck(db),
      identityProvider: neighbourCheck(identity, now),
      secretsStore: neighbourCheck(secrets, now),
      broker: neighbourCheck(broker, now),
      outbox: outboxHealth(db, now),
      revocations: revoked.check,
      webhooks: hooks.check,
    },
  });
  return { ...service, relay: relayOf(broker, { ...runtime, db }), webhooks: hooks };
}

/** The addresses of a host. */
type Resolve = (host: string) => Promise<string[]>;

type Following = Pick<WebhooksNeeds, "db" | "reader" | "now" | "log" | "service" | "sharesPending" | "resolve"> & { webhooks: Fetch };

function webhooksOf({ WEBHOOK_KEY: key, WEBHOOK_ALLOW_PRIVATE: isPrivate, LOOPBACK: isLoopback }: AdminSettings, { webhooks: fetch, ...following }: Following): Webhooks {
  return webhooks({
    ...following,
    key,
    fetch,
    openness: { isLoopback, isPrivate },
    newId: () => crypto.randomUUID(),
    random: Math.random,
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  });
}
