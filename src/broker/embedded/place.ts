import type { Context } from "hono";
import { topicNameFault } from "../topic-name.ts";
import type { Cluster } from "./cluster.ts";
import { Refusal, unknownTopic } from "./refusal.ts";
import { findTopic, type Topic } from "./topics/store.ts";
import type { Place } from "./topics/representation.ts";

/** Where the request arrived; throws unless its cluster is this one. */
export async function placeOf(c: Context, cluster: Cluster): Promise<Place> {
  const id = await cluster.id();
  const asked = c.req.param("cluster");
  if (asked !== undefined && asked !== id) throw new Refusal(404, `Cluster ${asked} cannot be found.`);
  return { origin: new URL(c.req.url).origin, cluster: id };
}

/** The topic that the path names. */
export async function topicOf(c: Context, cluster: Cluster): Promise<Topic> {
  const name = c.req.param("topic") ?? "";
  // A name that cannot be is not asked for: the database refuses some of them.
  const topic = topicNameFault(name) === undefined ? await findTopic(cluster.db, name) : undefined;
  if (!topic) throw unknownTopic();
  return topic;
}
