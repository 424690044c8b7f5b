import { type Context, Hono } from "hono";
import { describe } from "../../../http/log.ts";
import { topicNameFault } from "../../topic-name.ts";
import type { Cluster } from "../cluster.ts";
import { demandJson, MAX_BODY_BYTES, readJson } from "../json.ts";
import { badBatch, badPayload, httpRefusal, recordFault, Refusal } from "../refusal.ts";
import { findTopic } from "../topics/store.ts";
import { produce, type Report, type Target } from "./produce.ts";
import { batchSchema } from "./schema.ts";
import { recordsIn } from "./stream.ts";

/** What the real proxy takes unless told otherwise. */
const MAX_ENTRIES = 10;

/** Producing, below `/v3/clusters/:cluster/topics/:topic`; like the real proxy it does not ask which cluster is meant. */
export function producingApi(cluster: Cluster): Hono {
  const app = new Hono();

  app.post("/records", async (c) => {
    demandJson(c);
    const { body } = c.req.raw;
    if (!body || c.req.header("content-length") === "0") throw badPayload("Request body is empty. Data is required.");
    if (Number(c.req.header("content-length") ?? 0) > MAX_BODY_BYTES) throw httpRefusal(413);
    const target = await targetOf(c, cluster);
    return new Response(reports(target, body), { headers: { "content-type": "application/json" } });
  });

  app.post("/:verb{records:batch}", async (c) => {
    const entries = (await readJson(c, batchSchema)).entries ?? [];
    const ids = entries.map(({ id }) => id).filter((id) => typeof id === "string" && /^[\w-]{1,80}$/.test(id));
    if (ids.length < entries.length) throw badBatch("Batch entry identifier is not a valid string.");
    if (new Set(ids).size < ids.length) throw badBatch("Batch entry IDs are not distinct.");
    if (entries.length === 0) throw badBatch("Empty batch.");
    if (entries.length > MAX_ENTRIES) throw badBatch("Too many entries in batch.");
    const successes: unknown[] = [];
    const failures: unknown[] = [];
    for (const [index, { error_code, ...report }] of (await produce(await targetOf(c, cluster), entries)).entries()) {
      if (error_code === 200) successes.push({ id: ids[index], ...report });
      else failures.push({ id: ids[index], error_code, ...report });
    }
    return c.json({ successes, failures }, 207);
  });

  return app;
}

async function targetOf(c: Context, cluster: Cluster): Promise<Target> {
  const name = c.req.param("topic") ?? "";
  const topic = topicNameFault(name) === undefined ? await findTopic(cluster.db, name) : undefined;
  return { cluster, clusterId: c.req.param("cluster") ?? "", name, topic };
}

/** A report for each record as soon as it is kept, concatenated as the records were. */
function reports(target: Target, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const records = recordsIn(body);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await records.next();
      if (done) return controller.close();
      controller.enqueue(new TextEncoder().encode((await answers(target, value)).map((report) => `${JSON.stringify(report)}\r\n`).join("")));
    },
    async cancel() {
      await records.return(undefined);
    },
  });
}

/** The status has been sent: whatever fails now can only be told of each record. */
async function answers(target: Target, records: Parameters<typeof produce>[1]): Promise<Report[]> {
  try {
    return await produce(target, records);
  } catch (error) {
    target.cluster.log({ level: "error", service: "broker", message: "Failed to keep records of a stream", error: describe(error, true) });
    return records.map(() => recordFault(new Refusal(500, "Internal Server Error")));
  }
}
