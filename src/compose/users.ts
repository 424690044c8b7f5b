import { kafkaRest } from "../broker/kafka-rest.ts";
import { type RecordReader, recordReader } from "../broker/reading.ts";
import type { Database } from "../database/client.ts";
import { consumer } from "../events/consumer.ts";
import { outboxHealth, outboxReading } from "../events/outbox.ts";
import { revocations } from "../events/revocations.ts";
import type { Fetch } from "../http/fetch.ts";
import { keycloak } from "../identity/keycloak.ts";
import { hmacSha256, sha256 } from "../passwords/digest.ts";
import type { UsersSettings } from "../settings/services.ts";
import { users } from "../users/app.ts";
import { dormantStore, noteSignIns } from "../users/dormant-store.ts";
import { dormancy, SIGN_INS } from "../users/dormant.ts";
import { counted, insightOf, type Runtime } from "./runtime.ts";
import { brokerNeeds, databaseCheck, databaseOf, identityNeeds, neighbourCheck, relayOf, shared } from "./systems.ts";

export function usersService(settings: UsersSettings, outside: Runtime & { database: Fetch; broker: Fetch }) {
  const insight = insightOf("user-service", settings, outside);
  const runtime = counted(outside, insight.metrics);
  const db = databaseOf(settings, runtime);
  insight.metrics.gauges(outboxReading(db, runtime.now));
  const { USER_SERVICE_CLIENT_ID: clientId, USER_SERVICE_CLIENT_SECRET: clientSecret } = settings;
  const identity = keycloak(identityNeeds(settings, runtime, { clientId, clientSecret }));
  const reader = recordReader(brokerNeeds(settings, runtime));
  const revoked = revocations({ ...runtime, db, reader, service: "user-service" });
  const { verify, ...rest } = shared(settings, runtime);
  const service = users({
    ...rest,
    ...insight,
    // Of users' own affairs the row itself decides, at once; what is left is who calls as a service.
    verify: revoked.guarding(verify, ({ roles }) => roles.includes("ROLE_INTERNAL_SERVICE")),
    db,
    identity,
    ...dormancyOf(settings, runtime, { db, reader }),
    health: { db: databaseCheck(db), identityProvider: neighbourCheck(identity, runtime.now), outbox: outboxHealth(db, runtime.now), revocations: revoked.check },
    keyedHash: hmacSha256(settings.LOGIN_GUARD_KEY),
    digest: sha256,
    newId: () => crypto.randomUUID(),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    random: Math.random,
  });
  return { ...service, relay: relayOf(kafkaRest(brokerNeeds(settings, runtime)), { ...runtime, db }) };
}

const DAY_MS = 24 * 3600_000;

function dormancyOf({ DORMANT_AFTER_DAYS: days }: UsersSettings, { now, log }: Runtime, { db, reader }: { db: Database; reader: RecordReader }) {
  if (days === undefined) return {};
  const period = days * DAY_MS;
  const signIns = consumer({ ...SIGN_INS, effect: noteSignIns(period), db, reader, now, log, service: "user-service" });
  return { dormancy: dormancy({ consumer: signIns, store: dormantStore(db), period, now }) };
}
