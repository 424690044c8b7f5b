import { embeddedBroker } from "../../src/broker/embedded/app.ts";
import type { Database } from "../../src/database/client.ts";
import { type Embedded, realUrl } from "./embedded.ts";
import { emptyKafka } from "./kafka.ts";
import type { System } from "./system.ts";

type Needs = { db: Database; now: () => number; embedded?: Embedded | undefined };

/** A broker without topics: behind the REST v3 that KAFKA_REST_URL names, or embedded in `db`. */
export async function openBroker({ db, now, embedded }: Needs): Promise<System> {
  const real = realUrl("broker", embedded);
  if (real) return emptyKafka(real);
  const app = embeddedBroker({ db, now });
  return { url: "http://broker.test", fetch: (request) => app.fetch(request), close: async () => {} };
}
