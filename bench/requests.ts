// What the platform adds to the systems behind it, as ratios measured side by side: `npm run bench`.
import process from "node:process";
import { gatewayService } from "../src/compose/gateway.ts";
import { readSettings } from "../src/env.ts";
import { gatewaySettings } from "../src/settings/services.ts";
import { scalarScript } from "../workers/scalar.ts";
import { person, registered, signedIn, testPlatform, tokenOf } from "../test/platform.ts";

type Work = () => Promise<{ status: number }>;

type Sample = { wall: number; cpu: number };

const ROUNDS = 20;

const platform = await testPlatform({ iterations: 600_000 });
const service = platform.users;
const gateway = gatewayService(readSettings(gatewaySettings, { RATE_LIMIT_LOCAL_PER_MINUTE: "1000000" }), {
  log: () => {},
  now: platform.clock.now,
  sharesPending: true,
  documentationScript: scalarScript(),
  users: service,
  auth: service,
  admin: service,
  network: service,
});
const user = await registered(platform);
const token = await signedIn(platform, { username: user.userId, password: user.password });
const administrator = await tokenOf(platform, "user-service");

const IDENTITY = `${platform.issuer}/protocol/openid-connect/token`;
const USERS = `${platform.identityUrl}/admin/realms/${platform.realm}/users`;

const me: Work = () => platform.request("/api/users/me", { token });
const health: Work = () => platform.request("/actuator/health/db");
const throughGateway: Work = async () =>
  gateway.fetch(new Request("http://gateway.test/api/users/me", { headers: { authorization: `Bearer ${token}` } }), { source: "127.0.0.1" });
const authenticate: Work = () => platform.request("/api/auth/authenticate", { method: "POST", json: { username: user.userId, password: user.password } });
const passwordGrant: Work = async () => {
  const body = new URLSearchParams({ grant_type: "password", client_id: "auth-service", client_secret: "secret-of-auth-service", username: user.userId, password: user.password });
  return platform.identity(new Request(IDENTITY, { method: "POST", body }));
};
const register: Work = () => platform.request("/api/users/register", { method: "POST", json: person() });
const identityAndInsert: Work = async () => {
  const { password, emailId, firstName, lastName } = person();
  const json = { username: crypto.randomUUID(), email: emailId, firstName, lastName, enabled: true, credentials: [{ type: "password", value: password }] };
  const headers = { authorization: `Bearer ${administrator}`, "content-type": "application/json" };
  const response = await platform.identity(new Request(USERS, { method: "POST", headers, body: JSON.stringify(json) }));
  await platform.database.query("INSERT INTO users.abandoned VALUES (gen_random_uuid()::text, now() + interval '1 day', now() + interval '1 day')");
  return response;
};

/** `times` calls one after another: milliseconds of wall clock and of CPU for each. */
async function sample(work: Work, times: number): Promise<Sample> {
  const began = performance.now();
  const cpu = process.cpuUsage();
  for (let call = 0; call < times; call++) {
    const { status } = await work();
    if (status >= 400) throw new Error(`Answered ${status}`);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { wall: (performance.now() - began) / times, cpu: (user + system) / 1000 / times };
}

/** Both in turn, round by round, so that a drifting machine drifts for both. */
async function compare(name: string, { ours, theirs, times }: { ours: Work; theirs: Work; times: number }): Promise<void> {
  const ratios: Sample[] = [];
  const costs: Sample[] = [];
  for (let round = 0; round < ROUNDS + 5; round++) {
    const [mine, other] = [await sample(ours, times), await sample(theirs, times)];
    // The first rounds warm up.
    if (round < 5) continue;
    ratios.push({ wall: mine.wall / other.wall, cpu: mine.cpu / other.cpu });
    costs.push(mine);
  }
  console.log(`${name.padEnd(66)} ${spread(ratios.map(({ cpu }) => cpu))}   ${spread(ratios.map(({ wall }) => wall))}   ${spread(costs.map(({ wall }) => wall))}`);
}

/** Median, and the middle half. */
function spread(values: number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2);
  return `${at(0.5)} (${at(0.25)}–${at(0.75)})`.padEnd(20);
}

console.log(`${"ours / theirs, median (middle half)".padEnd(66)} ${"CPU".padEnd(20)}   ${"wall".padEnd(20)}   ms`);
await compare("GET /api/users/me through the gateway / at the service", { ours: throughGateway, theirs: me, times: 20 });
await compare("GET /api/users/me at the service / a SELECT 1 at the service", { ours: me, theirs: health, times: 20 });
await compare("POST /api/auth/authenticate / the identity provider's token call", { ours: authenticate, theirs: passwordGrant, times: 5 });
await compare("POST /api/users/register / identity provider and raw INSERT", { ours: register, theirs: identityAndInsert, times: 5 });
await platform.close();
