import { BROKER as name } from "../broker/rest-answer.ts";
import type { Fetch } from "../http/fetch.ts";
import { upstream } from "../http/upstream.ts";
import { type Administer, administer, ADMINISTRATION_TIMEOUT_MS } from "./administer.ts";

export type BrokerPlace = {
  /** Of a Confluent REST v3 interface, without `/v3`. */
  url: string;
  /** The whole `Authorization` header. */
  authorization: string | undefined;
  /** Kafka's address, where the interface is our own in front of it. */
  shown?: string;
};

export type BrokerAdminNeeds = BrokerPlace & { fetch: Fetch; now: () => number };

/** A Confluent REST v3 interface by an administrator's credentials; paths begin at `/v3`. */
export function brokerAdmin({ url, authorization, shown = url, fetch, now }: BrokerAdminNeeds): Administer {
  const server = upstream({ name, url, fetch, now, timeout: ADMINISTRATION_TIMEOUT_MS });
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  return administer({ name, url: shown }, (call, exchange) => server.send(call, { ...exchange, headers: { ...exchange.headers, ...headers } }));
}
