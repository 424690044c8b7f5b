import { setTimeout as pause } from "node:timers/promises";
import { person } from "../platform.ts";
import { client } from "../runtime/client.ts";

export type Kind = "registration" | "sign-in" | "secret" | "topic";

/** `status` is 0 where the connection broke. */
export type Done = { kind: Kind; began: number; ms: number; status: number; code: unknown; retryAfter: string | null };

/** What has been answered with success, and so has to be there afterwards. */
export type Kept = { users: { userId: string; email: string; password: string }[]; secrets: Record<string, string>; topics: string[] };

type Person = { username: string; password: string };

const SUCCESS: Record<Kind, number> = { registration: 201, "sign-in": 200, secret: 200, topic: 200 };
/** What a machine of two cores that runs all of it has hashed in time, also where each password takes half a second. */
const EVERY_MS: Record<Kind, number> = { registration: 1000, "sign-in": 500, secret: 500, topic: 1000 };

export const isSuccess = ({ kind, status }: Done): boolean => status === SUCCESS[kind];

/** Calls of each kind through the gateway, at a steady pace however long they take, until stopped. */
export function beginLoad({ gateway, token, members }: { gateway: string; token: string; members: readonly Person[] }) {
  const request = client(gateway);
  const done: Done[] = [];
  const kept: Kept = { users: [], secrets: {}, topics: [] };
  const pending = new Set<Promise<unknown>>();
  const run = crypto.randomUUID().slice(0, 8);
  let count = 0;
  let isOver = false;

  const calls: Record<Kind, () => Promise<Awaited<ReturnType<typeof request>>>> = {
    registration: async () => {
      const sent = person({ emailId: `outage.${run}.${count}@example.com`, primaryContactNumber: String(7_000_000_000 + Math.floor(Math.random() * 1e9)) });
      const answer = await request("/api/users/register", { json: sent });
      if (answer.status === 201) kept.users.push({ userId: answer.body["userId"], email: sent.emailId, password: sent.password });
      return answer;
    },
    "sign-in": () => request("/api/auth/authenticate", { json: members[count % members.length] }),
    secret: async () => {
      const [key, secret] = [`${run}.${count}`, crypto.randomUUID()];
      const answer = await request("/api/admin/vault-secrets", { token, json: { service: "user-service", secrets: [{ key, secret }] } });
      if (answer.status === SUCCESS.secret) kept.secrets[key] = secret;
      return answer;
    },
    topic: async () => {
      const topicName = `outage-${run}-${count}`;
      const answer = await request("/api/admin/topics", { token, json: { topicName, numPartitions: 1, replicationFactor: 1, timeoutMs: 5000 } });
      if (answer.status === SUCCESS.topic) kept.topics.push(topicName);
      return answer;
    },
  };

  async function one(kind: Kind): Promise<void> {
    const began = performance.now();
    count += 1;
    const answer = await calls[kind]().catch((error: Error) => ({ status: 0, body: { code: String(error.cause ?? error) }, headers: new Headers() }));
    const { status, body, headers } = answer;
    done.push({ kind, began, ms: performance.now() - began, status, code: body?.["code"], retryAfter: headers.get("retry-after") });
  }

  async function repeat(kind: Kind): Promise<void> {
    while (!isOver) {
      const call = one(kind).finally(() => pending.delete(call));
      pending.add(call);
      await pause(EVERY_MS[kind]);
    }
  }

  const running = (Object.keys(calls) as Kind[]).map(repeat);
  return {
    done,
    kept,
    stop: async () => {
      isOver = true;
      await Promise.all(running);
      await Promise.all(pending);
    },
  };
}
