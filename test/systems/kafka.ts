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
  return { url, fetch: admitted, close };
}

type Listed = { data: { cluster_id: string; topic_name: string; is_internal: boolean }[] };

async function empty(url: string, admitted: Fetch): Promise<void> {
  const list = async (path: string) => (await must(await admitted(new Request(url + path))).json()) as Listed;
  for (const { cluster_id: cluster } of (await list("/v3/clusters")).data) {
    const topics = `/v3/clusters/${cluster}/topics`;
    for (const { topic_name: name, is_internal: isInternal } of (await list(topics)).data) {
      if (!isInternal) must(await admitted(new Request(`${url}${topics}/${name}`, { method: "DELETE" })));
    }
  }
}

function must(response: Response): Response {
  if (!response.ok) throw new Error(`Cannot empty the broker: ${response.status} at ${response.url}`);
  return response;
}
