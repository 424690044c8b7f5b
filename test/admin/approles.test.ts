import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../http/problem.ts";
import { type AdminPlatform, adminPlatform, auditOf } from "./instance.ts";

let platform: AdminPlatform;
beforeAll(async () => {
  platform = await adminPlatform();
});
afterAll(() => platform.close());

const PATH = "/api/admin/vault-approle";
type Credentials = { roleId: string; secretId: string };

const create = (roleName: unknown, policies: unknown = ["order-service-policy"], on: Pick<AdminPlatform, "call"> = platform) =>
  on.call("POST", PATH, { json: { roleName, policies } });
const issue = (appRole: string, on: Pick<AdminPlatform, "call"> = platform) => on.call("GET", `${PATH}/secrets?appRole=${appRole}`);
const credentialsOf = async (response: Response) => {
  expect({ status: response.status, cache: response.headers.get("cache-control") }).toEqual({ status: 200, cache: "no-store" });
  return (await response.json()) as Credentials;
};

async function logIn({ roleId, secretId }: Credentials) {
  const request = new Request(`${platform.secretsUrl}/v1/auth/approle/login`, { method: "POST", body: JSON.stringify({ role_id: roleId, secret_id: secretId }) });
  const response = await platform.systems.secrets(request);
  return { status: response.status, auth: ((await response.json()) as { auth?: { policies: string[]; lease_duration: number } }).auth };
}

test("an AppRole is created with credentials that its service logs in with: an hour, its policies, a secret-id that ends", async () => {
  const credentials = await credentialsOf(await create("order-service"));
  expect(credentials).toEqual({ roleId: expect.stringMatching(/^[\w-]{36}$/), secretId: expect.stringMatching(/^[\w-]{36}$/) });
  const { status, auth } = await logIn(credentials);
  expect({ status, policies: auth?.policies, lease: auth?.lease_duration }).toEqual({ status: 200, policies: ["default", "order-service-policy"], lease: 3600 });

  const details = await platform.call("GET", `${PATH}/order-service`);
  expect(details.status).toBe(200);
  expect(await details.json()).toEqual({
    data: expect.objectContaining({ token_ttl: 3600, token_max_ttl: 14_400, secret_id_ttl: 30 * 24 * 3600, token_policies: ["order-service-policy"], bind_secret_id: true }),
    leastDuration: 0,
    leaseId: "",
    requestId: expect.stringMatching(/./),
  });
  expect(await (await platform.call("GET", PATH)).json()).toEqual(["admin-service", "order-service", "tests"]);
});

test("how long a secret-id lasts is a setting", async () => {
  await credentialsOf(await create("brief-service", ["a-policy"], platform.adminInstance({}, { secretIdTtl: 600 })));
  expect(await (await platform.call("GET", `${PATH}/brief-service`)).json()).toMatchObject({ data: { secret_id_ttl: 600 } });
});

test("an AppRole that exists is a conflict and stays as it is, however many try at once", async () => {
  const first = await credentialsOf(await create("stock-service"));
  const others = await Promise.all(Array.from({ length: 10 }, () => create("stock-service", ["more-policy"])));
  for (const other of others) expect(await problemOf(other)).toEqual({ status: 409, code: "VAULT_APPROLE_ALREADY_EXISTS_409" });
  expect((await logIn(first)).auth?.policies).toEqual(["default", "order-service-policy"]);

  const racers = await Promise.all(Array.from({ length: 12 }, (_, index) => create("raced-service", [`policy-${index}`], index % 2 === 0 ? platform : platform.adminInstance())));
  expect(racers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
});

test("a fresh secret-id comes with each call, and earlier ones go on", async () => {
  const first = await credentialsOf(await create("rotated-service"));
  const [second, third] = [await credentialsOf(await issue("rotated-service")), await credentialsOf(await issue("rotated-service"))];
  expect(new Set([first, second, third].map(({ roleId }) => roleId)).size).toBe(1);
  expect(new Set([first, second, third].map(({ secretId }) => secretId)).size).toBe(3);
  for (const credentials of [first, second, third]) expect((await logIn(credentials)).status).toBe(200);
});

test("a credential is minted once a call, whatever becomes of the answer", async () => {
  await credentialsOf(await create("lossy-service"));
  const faults: Record<string, () => Response | Promise<Response>> = {
    lost: () => Promise.reject(new TypeError("fetch failed")),
    unavailable: () => new Response("{}", { status: 503 }),
    limited: () => new Response("{}", { status: 429 }),
    failed: () => Response.json({ errors: ["internal error"] }, { status: 500 }),
  };
  for (const [fault, answer] of Object.entries(faults)) {
    let minted = 0;
    const instance = platform.adminInstance({
      secrets: async (request, pass) => {
        if (!request.url.endsWith("/secret-id")) return pass(request);
        minted += 1;
        await pass(request);
        return answer();
      },
    });
    const refusal = await problemOf(await issue("lossy-service", instance));
    expect({ fault, minted, status: refusal.status }).toEqual({ fault, minted: 1, status: fault === "failed" ? 502 : 503 });
  }
});

test("a HEAD mints nothing", async () => {
  await credentialsOf(await create("headed-service"));
  const sent = await platform.sentBy(async () => {
    const response = await platform.call("HEAD", `${PATH}/secrets?appRole=headed-service`);
    expect({ status: response.status, allow: response.headers.get("allow") }).toEqual({ status: 405, allow: "GET" });
  });
  expect(sent).toEqual([]);
});

test("an AppRole whose first credentials cannot be had does not stay", async () => {
  const instance = platform.adminInstance({ secrets: (request, pass) => (request.url.endsWith("/secret-id") ? new Response("{}", { status: 503 }) : pass(request)) });
  expect((await problemOf(await create("halfway-service", ["a-policy"], instance))).status).toBe(503);
  expect(await problemOf(await platform.call("GET", `${PATH}/halfway-service`))).toEqual({ status: 404, code: "VAULT_APPROLE_NOT_FOUND_404" });
  await credentialsOf(await create("halfway-service"));
});

test("an AppRole whose making is not answered does not keep its name", async () => {
  const instance = platform.adminInstance({
    async secrets(request, pass) {
      const response = await pass(request);
      return request.method === "POST" && request.url.endsWith("/role/unanswered-service") ? Promise.reject(new TypeError("fetch failed")) : response;
    },
  });
  expect((await problemOf(await create("unanswered-service", ["a-policy"], instance))).status).toBe(503);
  await credentialsOf(await create("unanswered-service"));
});

test("an AppRole is deleted with its secret-ids; where there is none, nothing is said to be deleted", async () => {
  const credentials = await credentialsOf(await create("gone-service"));
  const deleted = await platform.call("DELETE", `${PATH}?role=gone-service`);
  expect({ status: deleted.status, body: await deleted.json() }).toEqual({
    status: 200,
    body: { responseCode: "VAULT_APPROLE_DELETED_200", responseMessage: "AppRole deleted" },
  });
  expect((await logIn(credentials)).status).toBe(400);
  const missing = { status: 404, code: "VAULT_APPROLE_NOT_FOUND_404" };
  expect(await problemOf(await platform.call("DELETE", `${PATH}?role=gone-service`))).toEqual(missing);
  expect(await problemOf(await platform.call("GET", `${PATH}/gone-service`))).toEqual(missing);
  expect(await problemOf(await issue("gone-service"))).toEqual(missing);
  expect((await auditOf(platform, "approle/gone-service")).map(({ operation, outcome, code }) => [operation, outcome, code])).toEqual([
    ["createAppRole", "succeeded", null],
    ["deleteAppRole", "succeeded", null],
    ["deleteAppRole", "refused", missing.code],
    ["getAppRole", "refused", missing.code],
    ["issueSecretId", "refused", missing.code],
  ]);
});

test("root, and what gives this service's own rights, is refused as a policy in every spelling, and nothing is sent", async () => {
  const spellings = ["root", "ROOT", "Root", "root ", " root", "ro\u2060ot", "ｒｏｏｔ", "root\u0000", "platform-admin", "PLATFORM-ADMIN", "", "..", "a/b", "%72oot"];
  const sent = await platform.sentBy(async () => {
    for (const policy of spellings) {
      const { status, code } = await problemOf(await create("climbing-service", ["order-service-policy", policy]));
      expect({ policy, status, code }).toEqual({ policy, status: 400, code: expect.stringMatching(/^(VALIDATION_FAILED|MALFORMED_JSON)_400$/) });
    }
    for (const policies of [[], ["a", "a"], Array.from({ length: 33 }, (_, index) => `p${index}`), "root", null, [1]]) {
      expect((await problemOf(await create("climbing-service", policies))).code).toBe("VALIDATION_FAILED_400");
    }
    // Its details would be behind another operation's path.
    expect(await problemOf(await create("secrets"))).toEqual({ status: 400, code: "VALIDATION_FAILED_400", fields: ["roleName"] });
  });
  expect(sent).toEqual([]);
});
