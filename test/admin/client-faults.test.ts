import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FAULTS, faultAt, type Step } from "./faults.ts";
import { identityBears } from "../systems/embedded.ts";
import { type AdminPlatform, adminPlatform, auditOf } from "./instance.ts";

let platform: AdminPlatform;
beforeAll(async () => {
  platform = await adminPlatform();
});
afterAll(() => platform.close());

const get = (end: string) => ({ method, url }: Request) => method === "GET" && url.endsWith(end);
const post = (end: string) => ({ method, url }: Request) => method === "POST" && url.endsWith(end);

/** Every call of a creation to another system, in order. */
const STEPS: Record<string, Step> = {
  "audit begun": { system: "database", nth: 1, matches: () => true },
  "C1 row": { system: "database", nth: 2, matches: () => true },
  "own token": { system: "identity", nth: 1, matches: post("/token") },
  "C2 client": { system: "identity", nth: 1, matches: post("/clients") },
  "C3 account": { system: "identity", nth: 1, matches: get("/service-account-user") },
  "C3 role": { system: "identity", nth: 1, matches: get("/roles/INTERNAL_SERVICE") },
  "C3 given": { system: "identity", nth: 1, matches: post("/role-mappings/realm") },
  "C4 secret": { system: "identity", nth: 1, matches: get("/client-secret") },
  "C5 finished": { system: "database", nth: 3, matches: () => true },
  "audit ended": { system: "database", nth: 4, matches: () => true },
};

// More would be late of themselves.
const AT_ONCE = identityBears({ real: 8, embedded: 30 });

type Case = { title: string; name: string; status: Promise<number | "broken"> };

function begin(title: string, { name, step, fault }: { name: string; step: Step; fault: (typeof FAULTS)[string] }): Case {
  const { promise: died, resolve: onDeath } = Promise.withResolvers<void>();
  const instance = platform.adminInstance(faultAt(step, fault, onDeath));
  const answered = instance.call("POST", `/api/admin/inter-service-clients?clientName=${name}`).then(({ status }) => status);
  return { title, name, status: Promise.race([answered, died.then(() => "broken" as const)]) };
}

/** Of each client of these tests, whether its account has the role that makes it whole. */
async function clients() {
  const { ask } = platform.operator;
  const found = (await ask("GET /clients?search=true&clientId=fault-")) as { id: string; clientId: string }[];
  const whole = new Map<string, boolean>();
  for (const { id, clientId } of found) {
    const account = (await ask(`GET /clients/${id}/service-account-user`)) as { id: string };
    const roles = (await ask(`GET /users/${account.id}/role-mappings/realm`)) as { name: string }[];
    whole.set(clientId, roles.some(({ name }) => name === "INTERNAL_SERVICE"));
  }
  return whole;
}

async function sweepUntilDone() {
  for (let round = 0; round < 4; round++) {
    await platform.sweep();
    platform.clock.offset += 31_000;
  }
}

test("a creation that the sweep has taken for abandoned is not answered as made", async () => {
  const instance = platform.adminInstance({
    identity: async (request, pass) => {
      const answer = await pass(request);
      if (!request.url.endsWith("/client-secret")) return answer;
      platform.clock.offset += 16_000;
      await platform.sweep();
      return answer;
    },
  });
  const response = await instance.call("POST", "/api/admin/inter-service-clients?clientName=overtaken-service");
  expect(response.status).toBe(503);
  expect(await platform.operator.ask("GET /clients?clientId=overtaken-service")).toEqual([]);
});

test("whatever fails at whichever step, a client is whole or not there at all", { timeout: 180_000 }, async () => {
  const all = Object.entries(STEPS).flatMap(([at, step]) => Object.entries(FAULTS).map(([fault, wire]) => ({ title: `${at}: ${fault}`, step, fault: wire })));
  const first: (Omit<Case, "status"> & { status: number | "broken" })[] = [];
  for (let index = 0; index < all.length; index += AT_ONCE) {
    const cases = all.slice(index, index + AT_ONCE).map(({ title, ...on }, place) => begin(title, { ...on, name: `fault-${index + place}` }));
    first.push(...(await Promise.all(cases.map(async ({ title, name, status }) => ({ title, name, status: await status })))));
  }
  const unexpected = first.filter(({ status }) => ![200, 502, 503, 504, "broken"].includes(status));
  expect(unexpected).toEqual([]);
  // What was sent late has arrived, and every lease has run out.
  await pause(4000);
  platform.clock.offset += 31_000;
  await sweepUntilDone();

  const left = await clients();
  for (const { title, name, status } of first) {
    // A process that died after the last step has left a whole client, and nobody was told that there is none.
    const mayBeWhole = status === 200 || (status === "broken" && /^(C5 finished: killed after|audit ended)/.test(title));
    expect({ title, status, left: left.get(name) }).toEqual({ title, status, left: mayBeWhole ? true : undefined });
  }

  // Every call that was begun has one event, and the ones that were answered tell what was answered.
  for (const { title, name, status } of first) {
    const outcomes = (await auditOf(platform, `client/${name}`)).map(({ outcome }) => outcome);
    if (title === "audit begun: killed before") expect({ title, outcomes }).toEqual({ title, outcomes: [] });
    else if (title.startsWith("audit ended")) expect({ title, outcomes }).toEqual({ title, outcomes: [expect.stringMatching(/^(succeeded|unknown)$/)] });
    else expect({ title, outcomes }).toEqual({ title, outcomes: [status === 200 ? "succeeded" : status === "broken" ? "unknown" : "failed"] });
  }

  // A name that came to nothing is free again.
  for (const { title, name } of first) {
    if (left.has(name)) continue;
    const again = await platform.call("POST", `/api/admin/inter-service-clients?clientName=${name}`);
    expect({ title, status: again.status }).toEqual({ title, status: 200 });
  }

  // And half an hour later nothing is left of any of it but the clients.
  platform.clock.offset += 15 * 60_000;
  await sweepUntilDone();
  expect(new Set((await clients()).values())).toEqual(new Set([true]));
  expect((await clients()).size).toBe(all.length);
  expect(await platform.database.query("SELECT name FROM admin.client_creations")).toEqual([]);
});
