import type { Fetch } from "../../src/http/fetch.ts";
import type { System } from "./system.ts";

/** The Kafka behind the REST v3 at `url`, which is for tests alone: the topics of an earlier one are taken away, for their names are the platform's own. */
export async function emptyKafka(url: string): Promise<System> {
  const authorization = `Basic ${btoa(process.env["KAFKA_REST_CREDENTIALS"] ?? "")}`;
  const admitted: Fetch = (request) => {
    const sent = new Request(request);
    sent.headers.set("authorization", authorization);
    return fetch(sent);
  };
  const close = () => empty(url, admitted);
  await close();
  await addInternal(url, admitted);
  return { url, fetch: admitted, close };
}

type Listed = { data: { cluster_id: string; topic_name: string; is_internal: boolean }[] };

/** One of its own, which a Kafka has from its first consumer group on. */
async function addInternal(url: string, admitted: Fetch): Promise<void> {
  const [cluster] = (await list(`${url}/v3/clusters`, admitted)).data;
  const topics = `${url}/v3/clusters/${cluster?.cluster_id}/topics`;
  const body = JSON.stringify({ topic_name: "__consumer_offsets", partitions_count: 1, replication_factor: 1 });
  const made = await admitted(new Request(topics, { method: "POST", headers: { "content-type": "application/json" }, body }));
  // Lists do not have it: that it is there already is told by a 400.
  if (made.status !== 400) must(made);
}

async function list(url: string, admitted: Fetch): Promise<Listed> {
  return (await must(await admitted(new Request(url))).json()) as Listed;
}

async function empty(url: string, admitted: Fetch): Promise<void> {
  for (const { cluster_id: cluster } of (await list(`${url}/v3/clusters`, admitted)).data) {
    const topics = `${url}/v3/clusters/${cluster}/topics`;
    for (const { topic_name: name, is_internal: isInternal } of (await list(topics, admitted)).data) {
      if (!isInternal) must(await admitted(new Request(`${topics}/${name}`, { method: "DELETE" })));
    }
  }
}

function must(response: Response): Response {
  if (!response.ok) throw new Error(`Cannot empty the broker: ${response.status} at ${response.url}`);
  return response;
}
