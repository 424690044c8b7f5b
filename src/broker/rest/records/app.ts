import { type Context, Hono } from "hono";
import { describe } from "../../../http/log.ts";
import type { Topic } from "../cluster.ts";
import { demandJson, MAX_BODY_BYTES, readJson } from "../json.ts";
import type { Rest } from "../needs.ts";
import { findNamed, STEP_MS, type Timed } from "../place.ts";
import { badBatch, badPayload, httpRefusal, recordFault, Refusal } from "../refusal.ts";
import { type Bodies, produce, type Report, type Target } from "./produce.ts";
import { batchSchema } from "./schema.ts";
import { recordsIn } from "./stream.ts";

/** What the real proxy takes unless told otherwise. */
const MAX_ENTRIES = 10;

/** Producing, below `/v3/clusters/:cluster/topics/:topic`; like the real proxy it does not ask which cluster is meant. */
export function producingApi<T extends Topic>(rest: Rest<T>): Hono<Timed> {
  const app = new Hono<Timed>();

  app.post("/records", async (c) => {
    demandJson(c);
    const { body } = c.req.raw;
    if (!body || c.req.header("content-length") === "0") throw badPayload("Request body is empty. Data is required.");
    if (Number(c.req.header("content-length") ?? 0) > MAX_BODY_BYTES) throw httpRefusal(413);
    const target = await targetOf(c, rest);
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
    for (const [index, { error_code, ...report }] of (await produce(await targetOf(c, rest), entries)).entries()) {
      if (error_code === 200) successes.push({ id: ids[index], ...report });
      else failures.push({ id: ids[index], error_code, ...report });
    }
    return c.json({ successes, failures }, 207);
  });

  return app;
}

async function targetOf<T extends Topic>(c: Context<Timed>, rest: Rest<T>): Promise<Target<T>> {
  const until = () => Math.min(c.get("deadline"), rest.now() + STEP_MS);
  return { rest, clusterId: c.req.param("cluster") ?? "", name: c.req.param("topic") ?? "", topic: await findNamed(c, rest), until };
}

/** A report for each record as soon as it is kept, concatenated as the records were. */
function reports<T extends Topic>(target: Target<T>, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
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
async function answers<T extends Topic>(target: Target<T>, records: Bodies): Promise<Report[]> {
  try {
    return await produce(target, records);
  } catch (error) {
    target.rest.log({ level: "error", service: "broker", message: "Failed to keep records of a stream", error: describe(error, true) });
    return records.map(() => recordFault(new Refusal(500, "Internal Server Error")));
  }
}
