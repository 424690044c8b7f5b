import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { type BasicCredential, basicVerifier } from "../../http/basic.ts";
import { describe, type Log } from "../../http/log.ts";
import { problemIn } from "../../http/problem.ts";
import { type BrokerNeeds, openCluster } from "./cluster.ts";
import { placeOf } from "./place.ts";
import { producingApi } from "./records/app.ts";
import { readingApi } from "./records/reading.ts";
import { httpRefusal, Refusal } from "./refusal.ts";
import { topicsApi } from "./topics/app.ts";
import { clusterData, collection } from "./topics/representation.ts";

export type { BrokerNeeds } from "./cluster.ts";

/** A broker that speaks Confluent's REST v3 (8.x, in front of Kafka 4.4) over our database. */
export function embeddedBroker(needs: BrokerNeeds): Hono {
  const cluster = openCluster(needs);
  const app = new Hono();
  if (needs.credentials) app.use(basicAccess(needs.credentials));
  app.get("/v3/clusters", async (c) => {
    const place = await placeOf(c, cluster);
    return c.json(collection("KafkaClusterList", `${place.origin}/v3/clusters`, [clusterData(place)]));
  });
  app.get("/v3/clusters/:cluster", async (c) => c.json(clusterData(await placeOf(c, cluster))));
  const topics = "/v3/clusters/:cluster/topics";
  app.route(`${topics}/:topic/partitions`, readingApi(cluster));
  app.route(`${topics}/:topic`, producingApi(cluster));
  app.route(topics, topicsApi(cluster));
  for (const path of new Set(app.routes.filter(({ method }) => method !== "ALL").map((route) => route.path))) {
    app.all(path, () => {
      throw httpRefusal(405);
    });
  }
  app.notFound(() => httpRefusal(404).response());
  app.onError((error, c) => failed(error, { c, log: cluster.log }));
  return app;
}

function basicAccess(credentials: BasicCredential) {
  const verify = basicVerifier(credentials);
  return createMiddleware(async (c, next) => {
    if (!(await verify(c.req.header("authorization")))) throw new Refusal(401, "Unauthorized", { "www-authenticate": 'Basic realm="broker"' });
    await next();
  });
}

/** The only place where a failure becomes an answer. */
function failed(error: Error, { c, log }: { c: Context; log: Log }): Response {
  if (error instanceof Refusal) return error.response();
  const problem = problemIn(error);
  if (problem && problem.status >= 503) return new Refusal(50302, "The broker is not available.", { "retry-after": "1" }).response();
  log({ level: "error", service: "broker", message: "Failed", method: c.req.method, route: routePath(c), status: 500, error: describe(error, true) });
  return new Refusal(500, "Internal Server Error").response();
}
