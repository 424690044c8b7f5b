import type { RecordReader } from "../broker/reading.ts";
import type { Database } from "../database/client.ts";
import { catalogue } from "../events/catalogue.ts";
import { consumer } from "../events/consumer.ts";
import type { Health } from "../http/health.ts";
import { urlFault } from "./address.ts";
import { deliverer, type DelivererNeeds } from "./deliverer.ts";
import { deliveryStore } from "./delivery-store.ts";
import { type Asked, endpointStore } from "./endpoint-store.ts";
import { queue } from "./queue-store.ts";
import { secretSealing } from "./sealed.ts";
import { newSecret } from "./signature.ts";

export type WebhooksNeeds = Omit<DelivererNeeds, "store" | "opening"> & {
  db: Database;
  reader: RecordReader;
  /** 32 bytes in base64url; seals the secrets. */
  key: string;
  randomBytes: (length: number) => Uint8Array;
};

export type Webhooks = ReturnType<typeof webhooks>;

/** For so long after a rotation everything is signed with the old secret too. */
const OLD_SECRET_MS = 24 * 3600_000;
/** What was set aside, or waits for an endpoint that is disabled, is kept for two weeks. */
const KEPT_MS = 14 * 24 * 3600_000;
const PRUNE_EVERY_MS = 600_000;
const PRUNED_AT_ONCE = 5000;

/** Every event there is, whatever its data has besides what this version knows of. */
const TYPES = Object.fromEntries(Object.entries(catalogue).map(([type, { data }]) => [type, data.loose()]));

/** Endpoints outside, and the delivery of events to them: each event at least once, in no order. */
export function webhooks({ key, randomBytes, ...needs }: WebhooksNeeds) {
  const { db, now, newId, openness } = needs;
  const { seal, open } = secretSealing(key, randomBytes);
  const endpoints = endpointStore(db);
  const store = deliveryStore(db);
  const queuing = consumer({ ...needs, name: "webhooks", topics: ["platform.users", "platform.audit"], types: TYPES, effect: queue });
  const delivering = deliverer({ ...needs, store, opening: { open } });
  let prunedAt = now();

  return {
    list: (page: { after: number; limit: number }) => endpoints.list({ ...page, now: now() }),
    get: (id: string) => endpoints.get(id, now()),
    remove: endpoints.remove,
    deliveries: store.list,
    retry: (endpoint: string, event: string) => store.retry(endpoint, { event, now: now() }),

    /** Why no event is sent to this URL; undefined for one that a webhook may have. */
    urlFault: (url: string) => urlFault(url, openness),

    /** The endpoint's id and its secret, which is told this once; undefined when there are as many as there may be. */
    async create(asked: Asked): Promise<{ id: string; secret: string } | undefined> {
      const id = newId();
      const secret = newSecret(randomBytes);
      const isMade = await endpoints.create(id, { ...asked, secret: await seal(secret, id), now: now() });
      return isMade ? { id, secret } : undefined;
    },

    change: (id: string, asked: Asked & { isEnabled: boolean }) => endpoints.change(id, { ...asked, now: now() }),

    /** A new secret, and until when (milliseconds since the epoch) the old one is signed with too; undefined without such an endpoint. */
    async rotate(id: string): Promise<{ secret: string; oldUntil: number } | undefined> {
      const secret = newSecret(randomBytes);
      const oldUntil = now() + OLD_SECRET_MS;
      return (await endpoints.rotate(id, { secret: await seal(secret, id), oldUntil })) ? { secret, oldUntil } : undefined;
    },

    /** Brings what the broker has into the queues, and sends what is due. To be called every second or so, and after what writes events. */
    async run(): Promise<void> {
      await queuing.run();
      await delivering.run();
      if (prunedAt > now() - PRUNE_EVERY_MS) return;
      prunedAt = now();
      await store.prune({ before: now() - KEPT_MS, limit: PRUNED_AT_ONCE });
    },

    /** An endpoint that fails is its receiver's affair, and not the service's. */
    async check(): Promise<Health> {
      const [{ status, details }, counts] = await Promise.all([queuing.check(), endpoints.counts()]);
      return { status, details: { ...details, ...counts } };
    },
  };
}
