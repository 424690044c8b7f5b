import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { type BasicCredential, basicVerifier } from "../../http/basic.ts";
import { describe, type Log } from "../../http/log.ts";
import type { Topic } from "./cluster.ts";
import type { RestNeeds } from "./needs.ts";
import { placeOf, timed, type Timed } from "./place.ts";
import { producingApi } from "./records/app.ts";
import { readingApi } from "./records/reading.ts";
import { httpRefusal, Refusal, unauthorized } from "./refusal.ts";
import { topicsApi } from "./topics/app.ts";
import { clusterData, collection } from "./topics/representation.ts";

/** Confluent's REST v3 (8.x, in front of Kafka 4.4) over a log, and a way to read that v3 does not have. */
export function restBroker<T extends Topic>({ credentials, ...rest }: RestNeeds<T>): Hono<Timed> {
  const app = new Hono<Timed>();
  if (credentials) app.use(basicAccess(credentials));
  app.use(timed(rest.now));
  app.get("/v3/clusters", async (c) => {
    const place = await placeOf(c, rest);
    return c.json(collection("KafkaClusterList", `${place.origin}/v3/clusters`, [clusterData(place)]));
  });
  app.get("/v3/clusters/:cluster", async (c) => c.json(clusterData(await placeOf(c, rest))));
  const topics = "/v3/clusters/:cluster/topics";
  app.route(`${topics}/:topic/partitions`, readingApi(rest));
  app.route(`${topics}/:topic`, producingApi(rest));
  app.route(topics, topicsApi(rest));
  for (const path of new Set(app.routes.filter(({ method }) => method !== "ALL").map((route) => route.path))) {
    app.all(path, () => {
      throw httpRefusal(405);
    });
  }
  app.notFound(() => httpRefusal(404).response());
  app.onError((error, c) => failed(error, { c, log: rest.log }));
  return app;
}

function basicAccess(credentials: BasicCredential) {
  const verify = basicVerifier(credentials);
  return createMiddleware(async (c, next) => {
    if (!(await verify(c.req.header("authorization")))) throw unauthorized();
    await next();
  });
}

/** The only place where a failure becomes an answer. */
function failed(error: Error, { c, log }: { c: Context; log: Log }): Response {
  if (error instanceof Refusal) return error.response();
  log({ level: "error", service: "broker", message: "Failed", method: c.req.method, route: routePath(c), status: 500, error: describe(error, true) });
  return new Refusal(500, "Internal Server Error").response();
}
