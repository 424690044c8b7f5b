import { expect, it } from "vitest";
import { base64, type Wire } from "./wire.ts";

export function clustersSuite(at: () => Wire): void {
  it("lists exactly one cluster, whose id stays", async () => {
    const { status, body } = await at().call("GET /v3/clusters");
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: "KafkaClusterList", metadata: { self: expect.stringMatching(/\/v3\/clusters$/), next: null } });
    expect(body.data).toEqual([
      expect.objectContaining({
        kind: "KafkaCluster",
        cluster_id: at().cluster,
        metadata: { self: expect.stringContaining(`/v3/clusters/${at().cluster}`), resource_name: `crn:///kafka=${at().cluster}` },
        topics: { related: expect.stringContaining(at().topics) },
      }),
    ]);
  });

  it("gets the cluster by its id", async () => {
    const { status, body } = await at().call(`GET /v3/clusters/${at().cluster}`);
    expect([status, body.cluster_id]).toEqual([200, at().cluster]);
  });

  it.each(["GET /v3/clusters/unknown", "GET /v3/clusters/unknown/topics", "GET /v3/clusters/unknown/topics/t", "GET /v3/clusters/unknown/topics/t/partitions"])(
    "does not find another cluster: %s",
    async (line) => {
      const { status, body } = await at().call(line);
      expect([status, body]).toEqual([404, { error_code: 404, message: "Cluster unknown cannot be found." }]);
    },
  );

  it("refuses to make a topic in another cluster", async () => {
    const { status, body } = await at().call("POST /v3/clusters/unknown/topics", { body: { topic_name: "t" } });
    expect([status, body.error_code]).toEqual([404, 404]);
  });

  it.each<[string, number]>([
    ["GET /v3/nothing", 404],
    ["GET /v3/clusters/x/y/z", 404],
    ["POST /v3/clusters", 405],
    ["PUT /v3/clusters/x/topics", 405],
    ["DELETE /v3/clusters/x/topics/t/records", 405],
  ])("answers what is not offered in the wire's own shape: %s", async (line, expected) => {
    const { status, body } = await at().call(line);
    expect([status, body]).toEqual([expected, { error_code: expected, message: expect.stringContaining(`HTTP ${expected} `) }]);
  });

  it("lets nobody in without the right credentials", async () => {
    const { credentials, send, baseUrl } = at();
    if (!credentials) return;
    const wrong = `Basic ${base64(`${credentials.username}:${credentials.password}x`)}`;
    for (const headers of [{}, { authorization: wrong }, { authorization: "Bearer x" }, { authorization: "Basic !" }]) {
      const answer = await send(`${baseUrl}/v3/clusters`, { headers: headers as Record<string, string> });
      expect([answer.status, answer.body.error_code]).toEqual([401, 401]);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /);
    }
  });
}
