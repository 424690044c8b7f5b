import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { PLATFORM, type Settings } from "../command.ts";
import { client } from "../runtime/client.ts";
import { freePorts, launch, type Launched } from "../runtime/launch.ts";

export const PASSWORD = "Correct-Horse-7-Bättery 🔑";
const ADMIN_PASSWORD = "Correct-Horse-1-Admin";
/** How long a consumer may take to read the first event, on a machine that does other things too. */
const READ_MS = 60_000;

/** What ends a line elsewhere, what ends a text in SQL, what JSON escapes, and what does not fit into 16 bits. */
export const ODD = "O'Brien \\ \"Σ\"\u2028李 𐍈";

type Person = { userId: string; emailId: string; password: string; token: string };

export type Filled = Awaited<ReturnType<typeof fill>>;

/** Starts the platform that keeps its data in `data`, on ports of its own. */
export async function started(data: string, settings: Settings = {}): Promise<Launched> {
  return launch(PLATFORM, { GATEHOUSE_DATA: data, ADMIN_PASSWORD, ...(await freePorts()), ...settings });
}

/** Everything that is moved, made through the doors of a platform of its own, which is stopped at the end. */
export async function filled(data: string) {
  const platform = await started(data);
  try {
    return await fill(platform, data);
  } finally {
    await platform.stop();
  }
}

async function fill(platform: Launched, data: string) {
  const request = client(platform.gateway);
  const administrator = await must(200, request("/api/auth/authenticate", { json: { username: "admin", password: ADMIN_PASSWORD } }));
  const admin = (path: string, init: Parameters<typeof request>[1] = {}) => must(200, request(`/api/admin${path}`, { token: administrator.text, ...init }), 201);

  async function person(number: number, overrides: Record<string, unknown> = {}): Promise<Person> {
    const sent = { firstName: "Asha", lastName: "Rao", emailId: `mover${number}@example.com`, password: PASSWORD, primaryContactNumber: String(9_100_000_000 + number), ...overrides };
    const { body } = await must(201, request("/api/users/register", { json: sent }));
    const { text: token } = await must(200, request("/api/auth/authenticate", { json: { username: body["userId"], password: PASSWORD } }));
    return { userId: body["userId"], emailId: sent.emailId, password: PASSWORD, token };
  }

  const plain = await person(1);
  const odd = await person(2, { emailId: "Odd.O'Brien+2@Exämple.com" });
  const locked = await person(3);
  await must(200, request(`/api/users/${locked.userId}`, { method: "PUT", token: locked.token, json: { isLockUser: true } }));
  const address = { addressLine1: "12 Lake View Road", city: "Pune", state: "Maharashtra", pinCode: "411001", addressType: "PERMANENT" };
  await must(200, request(`/api/users/${plain.userId}`, { method: "PUT", token: plain.token, json: { updateAddressDto: address, updateContactDto: { contactNumber: "8123456789" } } }));
  const questions = { securityQuestions: [{ question: "What was your first school?", answer: "canary-answer" }] };
  await must(200, request(`/api/security-details/${plain.userId}`, { method: "PUT", token: plain.token, json: questions }));

  const billing = (await admin("/inter-service-clients?clientName=billing-service", { method: "POST" })).body as { clientId: string; clientSecret: string };
  await admin("/realm-roles", { json: { name: "Auditor / Prüfer", description: "Reads \"everything\" – O'Brien 李 𐍈" } });
  await technicalUser(platform, data);
  await admin("/vault/policies?service=user-service", { method: "POST" });
  const approle = (await admin("/vault-approle", { json: { roleName: "user-service", policies: ["user-service-policy"] } })).body as { roleId: string };
  await admin("/vault-secrets", { json: { service: "user-service", secrets: [{ key: "smtp.password", secret: "canary-secret-one" }] } });
  await admin("/vault-secrets", { method: "PUT", json: { service: "user-service", secrets: [{ key: "smtp.user", secret: ODD }] } });
  await admin("/topics", { json: { topicName: "orders", numPartitions: 3, replicationFactor: 1, timeoutMs: 5000 } });
  const webhook = (await admin("/webhooks", { json: { url: "http://127.0.0.1:9/gatehouse", types: ["user.registered"], description: "Nobody is there" } })).body as { id: string; secret: string };
  // Something that a consumer has read, to be told from what none has.
  for (const until = Date.now() + READ_MS; (await admin("/audit?limit=1")).body["entries"].length === 0; await pause(200)) {
    if (Date.now() > until) throw new Error(`Cannot go on: no consumer has read an event\n${platform.output()}`);
  }
  const { body: profile } = await must(200, request("/api/users/me", { token: plain.token }));
  return { plain, odd, locked, billing, approle, webhook, profile, installation: secretsOf(data), adminPassword: ADMIN_PASSWORD };
}

/** Somebody whom the user service does not know, with a name that it would not take. */
async function technicalUser({ identity }: Launched, data: string): Promise<void> {
  const { ADMIN_SERVICE_CLIENT_SECRET: client_secret = "" } = secretsOf(data);
  const form = { grant_type: "client_credentials", client_id: "admin-service", client_secret };
  const granted = await fetch(`${identity}/realms/platform/protocol/openid-connect/token`, { method: "POST", body: new URLSearchParams(form) });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const json = { username: "nightly", email: "nightly@example.com", firstName: "O'Brien 李", lastName: "𐍈", enabled: true, requiredActions: ["UPDATE_PASSWORD"] };
  await must(201, client(identity)("/admin/realms/platform/users", { token, json }));
}

function secretsOf(data: string): Record<string, string> {
  return JSON.parse(readFileSync(join(data, "secrets.json"), "utf8")) as Record<string, string>;
}

/** The answer, which has one of these statuses. */
async function must(status: number, answer: ReturnType<ReturnType<typeof client>>, ...others: number[]) {
  const { status: actual, ...rest } = await answer;
  if (actual !== status && !others.includes(actual)) throw new Error(`Cannot go on: ${actual} ${rest.text}`);
  return { status: actual, ...rest };
}
