import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { beginCall } from "../../http/call.ts";
import { topicNameFault } from "../topic-name.ts";
import type { Topic } from "./cluster.ts";
import type { Rest } from "./needs.ts";
import { Refusal, unknownTopic } from "./refusal.ts";
import type { Place } from "./topics/representation.ts";

/** Of a request, in milliseconds since the epoch. */
export type Timed = {
  Variables: {
    /** When what it asks for is to be done. */
    until: number;
    /** As the caller handed it on; infinite where nothing was. What goes on for long is done in steps, each within `STEP_MS`. */
    deadline: number;
  };
};

export const STEP_MS = 5000;

export function timed(now: () => number) {
  return createMiddleware<Timed>(async (c, next) => {
    const { deadline } = beginCall(c.req.raw.headers, { now: now(), limit: Infinity });
    c.set("deadline", deadline);
    c.set("until", Math.min(deadline, now() + STEP_MS));
    await next();
  });
}

/** Where the request arrived; throws unless its cluster is this one. */
export async function placeOf<T extends Topic>(c: Context<Timed>, { cluster }: Rest<T>): Promise<Place> {
  const { id, controller } = await cluster.about(c.get("until"));
  const asked = c.req.param("cluster");
  if (asked !== undefined && asked !== id) throw new Refusal(404, `Cluster ${asked} cannot be found.`);
  return { origin: new URL(c.req.url).origin, cluster: id, controller };
}

/** The topic that the path names. */
export async function topicOf<T extends Topic>(c: Context<Timed>, rest: Rest<T>, withOperations = false): Promise<T> {
  const topic = await findNamed(c, rest, withOperations);
  if (!topic) throw unknownTopic();
  return topic;
}

export async function findNamed<T extends Topic>(c: Context<Timed>, { cluster }: Rest<T>, withOperations = false): Promise<T | undefined> {
  const name = c.req.param("topic") ?? "";
  // A name that cannot be is not asked for: whoever keeps the topics refuses some of them.
  return topicNameFault(name) === undefined ? cluster.findTopic(c.get("until"), { name, withOperations }) : undefined;
}
