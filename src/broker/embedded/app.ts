import type { Hono } from "hono";
import { jsonLog } from "../../http/log.ts";
import { restBroker } from "../rest/app.ts";
import type { Timed } from "../rest/place.ts";
import { type BrokerNeeds, openCluster } from "./cluster.ts";

export type { BrokerNeeds } from "./cluster.ts";

/** A broker that speaks Confluent's REST v3 (8.x, in front of Kafka 4.4) over our database. */
export function embeddedBroker(needs: BrokerNeeds): Hono<Timed> {
  const { now, credentials, log = jsonLog(console.error, now) } = needs;
  return restBroker({ cluster: openCluster(needs), now, log, credentials });
}
