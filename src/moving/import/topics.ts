import * as z from "zod";
import type { Administer } from "../../administration/administer.ts";
import { BROKER, ClustersSchema, TopicSchema } from "../../broker/rest-answer.ts";
import { path } from "../../http/path.ts";
import { shaped } from "../../http/upstream.ts";
import type { Topic } from "../schema.ts";
import { type ImportNeeds, newCall } from "./needs.ts";

export type TopicNeeds = ImportNeeds & { admin: Administer };

const ConfigsSchema = z.object({ data: z.array(z.object({ name: z.string(), value: z.string().nullable() })) });

/** As many replicas as the broker gives by itself. A topic that is there is never changed: more partitions would send keys elsewhere. */
export async function importTopic(needs: TopicNeeds, { name, partitions, configs }: Topic): Promise<void> {
  const { admin, tally, isDryRun } = needs;
  const topics = await topicsPath(needs);
  const answer = await admin(newCall(needs), { method: "GET", path: topics + path`/${name}`, accepts: [200, 404] });
  if (answer.status === 200) {
    const there = shaped(BROKER, answer, TopicSchema).partitions_count;
    const isSame = there === partitions && (await hasConfigs(needs, { at: topics + path`/${name}`, configs }));
    if (isSame) return tally.count("topics", "same");
    return tally.tell("topics", "different", `"${name}" is there with ${there === partitions ? "other settings" : `${there} partitions, not ${partitions}`}`);
  }
  const json = { topic_name: name, partitions_count: partitions, configs: Object.entries(configs).map(([name, value]) => ({ name, value })) };
  const isMade = isDryRun || (await admin(newCall(needs), { method: "POST", path: topics, json, accepts: [201, 400] })).status === 201;
  if (isMade) tally.count("topics", "made");
  else tally.tell("topics", "failed", `"${name}" was refused`);
}

async function topicsPath({ admin, ...needs }: TopicNeeds): Promise<string> {
  const clusters = shaped(BROKER, await admin(newCall(needs), { method: "GET", path: "/v3/clusters" }), ClustersSchema);
  return path`/v3/clusters/${clusters.data[0]?.cluster_id ?? ""}/topics`;
}

async function hasConfigs({ admin, ...needs }: TopicNeeds, { at, configs }: { at: string; configs: Record<string, string> }): Promise<boolean> {
  const there = shaped(BROKER, await admin(newCall(needs), { method: "GET", path: `${at}/configs` }), ConfigsSchema).data;
  return Object.entries(configs).every(([name, value]) => there.some((config) => config.name === name && config.value === value));
}
