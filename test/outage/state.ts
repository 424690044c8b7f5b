import { Client } from "pg";
import { expect } from "vitest";
import { keycloakAdmin } from "../../src/administration/keycloak.ts";
import { jsonOf } from "../../src/http/upstream.ts";
import { client } from "../runtime/client.ts";
import { network, newCall } from "../systems/system.ts";
import type { Kept } from "./load.ts";

type Place = {
  /** Where the systems are and what opens them, as `test/real` names it. */
  systems: Record<string, string>;
  /** What the platform was started from. */
  settings: Record<string, string>;
  broker: { url: string; authorization: string };
};

/** What the broker answers to a reader. */
type Read = { data: { value: { data: string } | null }[] };

/** Within this after the last outage, everything is as if there had been none. */
const CONVERGED_MS = 60_000;

/** Holds the stores themselves against each other and against what was answered. */
export async function expectWhole(place: Place, kept: Kept): Promise<void> {
  await expect.poll(() => differences(place, kept), { timeout: CONVERGED_MS, interval: 2000 }).toEqual({
    pending: [],
    withoutIdentity: [],
    withoutRow: [],
    lostUsers: [],
    wrongEvents: [],
    unsentEvents: "0",
    lostEvents: [],
    lostSecrets: [],
    lostTopics: [],
  });
}

async function differences(place: Place, kept: Kept) {
  const { rows, events, unsent } = await inPostgres(place);
  const enabled = await identities(place);
  const active = rows.filter(({ status }) => status === "ACTIVE").map(({ user_id: id }) => id);
  const told = new Set(await registeredInKafka(place));
  const secrets = await inVault(place);
  const topics = new Set(await topicsOf(place));
  return {
    pending: rows.filter(({ status }) => status === "PENDING"),
    withoutIdentity: active.filter((id) => !enabled.has(id.toLowerCase())),
    withoutRow: [...enabled].filter((name) => !active.some((id) => id.toLowerCase() === name)),
    lostUsers: kept.users.filter(({ userId }) => !active.includes(userId)),
    wrongEvents: active.filter((id) => events.filter(({ key }) => key === id).length !== 1),
    unsentEvents: unsent,
    lostEvents: active.filter((id) => !told.has(id)),
    lostSecrets: Object.keys(kept.secrets).filter((key) => secrets[key] !== kept.secrets[key]),
    lostTopics: kept.topics.filter((name) => !topics.has(name)),
  };
}

async function inPostgres({ systems }: Place) {
  const client = new Client({ connectionString: systems["TEST_DATABASE_URL"] });
  await client.connect();
  try {
    const { rows } = await client.query<{ user_id: string; status: string }>("SELECT user_id, status FROM users.users");
    const { rows: events } = await client.query<{ key: string }>("SELECT key FROM events.outbox WHERE type = 'user.registered'");
    const { rows: unsent } = await client.query<{ count: string }>("SELECT count(*) FROM events.outbox WHERE sent_at IS NULL");
    return { rows, events, unsent: unsent[0]?.count };
  } finally {
    await client.end();
  }
}

/** Names of the enabled identities that are not the operators' or a service's. */
async function identities({ systems, settings }: Place): Promise<Set<string>> {
  const { KEYCLOAK_URL: url = "", KEYCLOAK_ADMIN: username = "", KEYCLOAK_ADMIN_PASSWORD: password = "" } = systems;
  const administer = keycloakAdmin({ url, administrator: { username, password }, fetch: network, now: Date.now });
  const realm = settings["IDENTITY_REALM"] ?? "platform";
  const { text } = await administer(newCall(), { method: "GET", path: `/${realm}/users`, query: { max: "-1" } });
  const found = jsonOf(text) as { username: string; enabled: boolean }[];
  return new Set(found.filter(({ username, enabled }) => enabled && username !== "admin").map(({ username }) => username));
}

async function inVault({ systems }: Place): Promise<Record<string, string>> {
  const { VAULT_URL: url, VAULT_TOKEN: token = "" } = systems;
  const answer = await client(`${url}/v1`)("/secret/data/platform/user-service/dev", { headers: { "x-vault-token": token } });
  return (answer.body?.["data"]?.data ?? {}) as Record<string, string>;
}

async function topicsOf({ broker }: Place): Promise<string[]> {
  const { ask, cluster } = await atBroker(broker);
  const { data } = (await ask(`${cluster}/topics`)) as { data: { topic_name: string }[] };
  return data.map(({ topic_name: name }) => name);
}

/** Ids of the users of whom the broker has an event that they registered. */
async function registeredInKafka({ broker }: Place): Promise<string[]> {
  const { ask, cluster } = await atBroker(broker);
  const topic = `${cluster}/topics/platform.users`;
  const { partitions_count: partitions } = (await ask(topic)) as { partitions_count: number };
  const found: string[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    for (let offset = 0; ; ) {
      const { data } = (await ask(`${topic}/partitions/${partition}/records?offset=${offset}&max=500`)) as Read;
      if (data.length === 0) break;
      offset += data.length;
      const events = data.map(({ value }) => JSON.parse(Buffer.from(value?.data ?? "", "base64").toString()) as { type: string; subject: string });
      found.push(...events.filter(({ type }) => type === "user.registered").map(({ subject }) => subject));
    }
  }
  return found;
}

async function atBroker({ url, authorization }: Place["broker"]) {
  const request = client(url);
  const ask = async (path: string) => {
    const { status, body, text } = await request(path, { headers: { authorization } });
    if (status !== 200) throw new Error(`Cannot ask the broker for "${path}": ${status} ${text}`);
    return body as unknown;
  };
  const { data } = (await ask("/v3/clusters")) as { data: { cluster_id: string }[] };
  return { ask, cluster: `/v3/clusters/${data[0]?.cluster_id}` };
}
