import * as z from "zod";
import type { Administer } from "../administration/administer.ts";
import { brokerAdmin, type BrokerPlace } from "../administration/broker.ts";
import { BROKER as name, ClustersSchema, TopicSchema } from "../broker/rest-answer.ts";
import { TOPICS } from "../events/catalogue.ts";
import type { Call } from "../http/call.ts";
import type { Fetch } from "../http/fetch.ts";
import { path } from "../http/path.ts";
import { shaped } from "../http/upstream.ts";
import { type Plan, plan, type Step, together } from "./plan.ts";

type On = { fetch: Fetch; now: () => number; adopts: boolean };

/** Longer than anybody who follows the events is away. */
const RETENTION_MS = 30 * 24 * 3600_000;
/** As many copies as there are brokers, three at most: interfaces do not all tell how many there are, but which they cannot make. */
const REPLICAS = [3, 2, 1];

const ConfigSchema = z.object({ value: z.string().nullable(), is_default: z.boolean() });

/** Which topics of the catalogue a Kafka lacks. Who may read and write them is the operator's to say. */
export async function planBroker(call: Call, place: BrokerPlace, { adopts, ...on }: On): Promise<Plan> {
  const administer = brokerAdmin({ ...place, ...on });
  const clusters = shaped(name, await administer(call, { method: "GET", path: "/v3/clusters" }), ClustersSchema).data;
  const cluster = path`/v3/clusters/${clusters[0]?.cluster_id ?? ""}`;
  const plans: Plan[] = [];
  for (const [topic, { partitions }] of Object.entries(TOPICS)) plans.push(await planTopic(call, { topic, partitions }, { administer, cluster, adopts }));
  return together(...plans);
}

type Wanted = { topic: string; partitions: number };
type At = { administer: Administer; cluster: string; adopts: boolean };

async function planTopic(call: Call, { topic, partitions }: Wanted, { administer, cluster, adopts }: At): Promise<Plan> {
  const at = `${cluster}/topics${path`/${topic}`}`;
  const answer = await administer(call, { method: "GET", path: at, accepts: [200, 404] });
  if (answer.status === 404) return plan({ steps: [{ change: `Make the topic "${topic}" with ${partitions} partitions`, apply: (call) => make(call, { topic, partitions }, { administer, cluster }) }] });
  const live = shaped(name, answer, TopicSchema);
  // To add some would break the order of each user's events.
  const notes = live.partitions_count < partitions ? [`The topic "${topic}" has ${live.partitions_count} partitions instead of ${partitions}, which bounds how much its consumers do at once`] : [];
  return together(plan({ notes }), await planRetention(call, topic, { administer, at, adopts }));
}

async function planRetention(call: Call, topic: string, { administer, at, adopts }: { administer: Administer; at: string; adopts: boolean }): Promise<Plan> {
  const answer = await administer(call, { method: "GET", path: `${at}/configs/retention.ms`, accepts: [200, 403, 404] });
  if (answer.status !== 200) return plan({ notes: [`How long the topic "${topic}" keeps its events cannot be read: let it be ${days(RETENTION_MS)}`] });
  const { value, is_default: isDefault } = shaped(name, answer, ConfigSchema);
  if (Number(value) === -1 || Number(value) >= RETENTION_MS) return plan();
  const json = { data: [{ name: "retention.ms", value: String(RETENTION_MS) }] };
  const apply = async (call: Call) => void (await administer(call, { method: "POST", path: `${at}/configs:alter`, json }));
  const step: Step = { change: `Let the topic "${topic}" keep its events for ${days(RETENTION_MS)} instead of ${days(Number(value))}`, apply };
  // What nobody has chosen may be chosen.
  return isDefault || adopts ? plan({ steps: [step] }) : plan({ differences: [`The topic "${topic}" keeps its events for ${days(Number(value))} instead of ${days(RETENTION_MS)}`] });
}

async function make(call: Call, { topic, partitions }: Wanted, { administer, cluster }: { administer: Administer; cluster: string }): Promise<void> {
  for (const replicas of REPLICAS) {
    const configs = [{ name: "retention.ms", value: String(RETENTION_MS) }, ...(replicas === 3 ? [{ name: "min.insync.replicas", value: "2" }] : [])];
    const json = { topic_name: topic, partitions_count: partitions, replication_factor: replicas, configs };
    const answer = await administer(call, { method: "POST", path: `${cluster}/topics`, json, accepts: replicas === 1 ? [200, 201] : [200, 201, 400] });
    if (answer.status !== 400) return;
    // Somebody was faster, or an answer was lost.
    const { status } = await administer(call, { method: "GET", path: `${cluster}/topics${path`/${topic}`}`, accepts: [200, 404] });
    if (status === 200) return;
  }
}

function days(ms: number): string {
  const whole = Math.round(ms / 86_400_000);
  return whole > 0 ? `${whole} days` : `${ms} ms`;
}
