import { join } from "node:path";
import { expect, test } from "vitest";
import { ownFolder } from "../workers/folder.ts";
import { diagnosis, MINUTE_MS } from "./command.ts";
import { answering, scripted, taking } from "./upstream.ts";

const CLIENTS = { AUTH_SERVICE_CLIENT_SECRET: "one-of-the-secrets", USER_SERVICE_CLIENT_SECRET: "two-of-the-secrets", ADMIN_SERVICE_CLIENT_SECRET: "three-of-the-secrets" };
const APPROLES = { ADMIN_SERVICE_ROLE_ID: "a", ADMIN_SERVICE_SECRET_ID: "four-of-the-secrets", CONFIG_SERVER_ROLE_ID: "b", CONFIG_SERVER_SECRET_ID: "five-of-the-secrets" };
const HEALTH = { initialized: true, sealed: false, standby: false, version: "1.21.4", enterprise: false };

const settings = () => ({ GATEHOUSE_DATA: join(ownFolder(), "data") });

function dated(secondsAhead: number) {
  return { date: new Date(Date.now() + secondsAhead * 1000).toUTCString() };
}

test("clocks that are off by seconds are warned of, by more than tokens bear are errors", { timeout: MINUTE_MS }, async () => {
  const at = async (secondsAhead: number) => {
    const url = await scripted(answering({ "/v1/sys/health": HEALTH, "/v1/auth/approle/login": [400, { errors: ["invalid role or secret ID"] }] }, () => dated(secondsAhead)));
    return diagnosis({ ...settings(), SECRETS_URL: url, ...APPROLES });
  };
  const [fine, off, wrong] = await Promise.all([at(0), at(-15), at(300)]);
  expect(fine?.having("secrets", "clock-fine")).toHaveLength(1);
  expect(off?.having("secrets", "clock-off")).toMatchObject([{ status: "warning", sentence: expect.stringMatching(/^Its clock is 1\d s behind ours$/) }]);
  expect(wrong?.having("secrets", "clock-wrong")).toMatchObject([{ status: "error", sentence: expect.stringMatching(/^Its clock is (29\d|300) s ahead of ours/), remedy: expect.stringContaining("NTP") }]);
});

test("a secrets store that is older than what this is tested with is warned of: Vault and OpenBao each count by themselves", { timeout: MINUTE_MS }, async () => {
  const { enterprise: _, ...openBao } = HEALTH;
  const at = async (health: object) => diagnosis({ ...settings(), SECRETS_URL: await scripted(answering({ "/v1/sys/health": { ...health, sealed: true } })), ...APPROLES });
  const found = await Promise.all([at(HEALTH), at({ ...HEALTH, version: "1.20.9" }), at({ ...openBao, version: "2.6.2" }), at({ ...openBao, version: "2.5.1" })]);
  expect(found.map(({ of }) => of("secrets").find(({ check }) => check === "version")?.code)).toEqual(["version", "version-old", "version", "version-old"]);
});

test("a system that repeats a secret of ours is not quoted with it", { timeout: MINUTE_MS }, async () => {
  const secret = APPROLES.ADMIN_SERVICE_SECRET_ID;
  const url = await scripted(answering({ "/v1/sys/health": { ...HEALTH, version: `1.21.4+${secret}` }, "/v1/auth/approle/login": [400, { errors: [secret] }] }));
  const { having, text } = await diagnosis({ ...settings(), SECRETS_URL: url, ...APPROLES });
  expect(having("secrets", "version")).toMatchObject([{ sentence: "Version 1.21.4+…" }]);
  expect(text).not.toContain(secret);
});

test("a secrets store that is sealed, or not set up, is said, and nothing is logged in to", { timeout: MINUTE_MS }, async () => {
  const asked: string[] = [];
  const at = async (health: object) => {
    const answer = answering({ "/v1/sys/health": health });
    const url = await scripted((request, response) => {
      asked.push(request.url ?? "");
      answer(request, response);
    });
    return diagnosis({ ...settings(), SECRETS_URL: url, ...APPROLES });
  };
  const [sealed, bare] = await Promise.all([at({ ...HEALTH, sealed: true }), at({ ...HEALTH, sealed: true, initialized: false })]);
  expect(sealed?.having("secrets", "sealed")).toMatchObject([{ remedy: expect.stringContaining("vault operator unseal") }]);
  expect(bare?.having("secrets", "not-initialised")).toMatchObject([{ remedy: expect.stringContaining("vault operator init") }]);
  expect(asked.filter((path) => !path.startsWith("/v1/sys/health"))).toEqual([]);
  expect(sealed?.of("secrets").filter(({ status }) => status === "not-checked").map(({ check }) => check)).toContain("capabilities");
});

test("what leads elsewhere, does not answer or is something else is told apart", { timeout: MINUTE_MS }, async () => {
  const [away, silent, page] = await Promise.all([
    scripted((_, response) => void response.writeHead(302, { location: "http://127.0.0.1:2/" }).end()),
    scripted(() => {}),
    scripted((_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>")),
  ]);
  const { having, exit } = await diagnosis({ ...settings(), IDENTITY_URL: page, ...CLIENTS, SECRETS_URL: silent, ...APPROLES, BROKER_URL: away });
  expect(exit).toBe(1);
  expect(having("broker", "redirected")).toMatchObject([{ remedy: "Set BROKER_URL to where it leads" }]);
  expect(having("secrets", "silent")).toMatchObject([{ sentence: `${silent} did not answer in time` }]);
  expect(having("identity", "issuer-unknown")).toHaveLength(1);
  expect(having("identity", "keys-missing")).toHaveLength(1);
  expect(having("identity", "client-odd")).toHaveLength(3);
});

test("what takes a connection and never says a word is silent, by whatever protocol", { timeout: MINUTE_MS }, async () => {
  const silent = await taking();
  const own = { DATABASE_URL: `postgres://user:a-password-of-16@${silent}/db`, KAFKA_BROKERS: silent, REDIS_URL: `redis://${silent}` };
  const http = { ...own, DATABASE_SQL_URL: `http://${silent}/sql`, KAFKA_TLS: "on", REDIS_URL: "", UPSTASH_REDIS_REST_URL: `http://${silent}`, UPSTASH_REDIS_REST_TOKEN: "six-of-the-secrets" };
  for (const { of } of await Promise.all([diagnosis({ ...settings(), ...own }), diagnosis({ ...settings(), ...http })])) {
    for (const system of ["database", "broker", "redis"]) {
      const [first, ...rest] = of(system);
      expect(first).toMatchObject({ code: "silent", status: "error", sentence: expect.stringMatching(/ did not answer in time$/) });
      for (const finding of rest) expect(finding).toMatchObject({ status: "not-checked", sentence: first?.sentence });
    }
  }
});

test("what asks for no credential is not said to accept one", { timeout: MINUTE_MS }, async () => {
  const redis = await taking((socket) => {
    socket.setEncoding("utf8").on("data", (text: string) => {
      for (const command of text.split(/\*\d+\r\n/).slice(1)) socket.write(/PING/.test(command) ? "+PONG\r\n" : /EVAL/.test(command) ? ":1\r\n" : "+OK\r\n");
    });
  });
  const open = await scripted(answering({ "/v3/clusters": { data: [{ cluster_id: "c" }] } }));
  const registry = await scripted(answering({}));
  const bare = await diagnosis({ ...settings(), BROKER_URL: open, REDIS_URL: `redis://${redis}`, DISCOVERY_URL: `${registry}/eureka`, INSTANCE_HOST: "127.0.0.1" });
  expect(bare.of("broker").filter(({ check }) => check === "credential")).toMatchObject([{ status: "ok", sentence: "Asks for no credential" }]);
  expect(bare.of("redis").filter(({ check }) => check === "credential")).toMatchObject([{ status: "ok", sentence: "Asks for no credential" }]);
  expect(bare.of("services").filter(({ check }) => check === "registry")).toMatchObject([{ status: "ok", sentence: `${registry}/eureka asks for no credential` }]);
  expect(bare.having("broker", "topic-missing").every(({ remedy }) => remedy?.includes("where there are three brokers"))).toBe(true);

  const [host, url] = [redis, new URL(registry).host];
  const given = await diagnosis({
    ...settings(),
    BROKER_URL: open,
    BROKER_AUTHORIZATION: "Basic d3Jvbmc6d3Jvbmc=",
    REDIS_URL: `redis://:six-of-the-secrets@${host}`,
    DISCOVERY_URL: `http://eureka:seven-of-the-secrets@${url}/eureka`,
    INSTANCE_HOST: "127.0.0.1",
  });
  expect(given.having("broker", "credential")).toMatchObject([{ sentence: "Accepts BROKER_AUTHORIZATION" }]);
  expect(given.having("redis", "credential")).toMatchObject([{ sentence: "Accepts user and password in REDIS_URL" }]);
  expect(given.having("services", "registry")).toMatchObject([{ sentence: `${registry}/eureka accepts the credential in DISCOVERY_URL` }]);
});

test("a policy that is missing is one finding, and what a full one cannot forbid asks for nothing", { timeout: MINUTE_MS }, async () => {
  const at = async (capabilities: (path: string) => string[], policies = ["default", "platform-admin"]) => {
    const auth = { client_token: "a-token", policies, metadata: { role_name: "admin-service" }, lease_duration: 3600, renewable: true, num_uses: 0 };
    const answer = answering({
      "/v1/sys/health": HEALTH,
      "/v1/auth/approle/login": { auth },
      "/v1/sys/internal/ui/mounts/secret": [403, { errors: ["preflight capability check returned 403, please ensure client's policies grant access to path"] }],
    });
    const url = await scripted((request, response) => {
      if (request.url !== "/v1/sys/capabilities-self") return answer(request, response);
      let text = "";
      request.on("data", (part: Buffer) => (text += part.toString()));
      request.on("end", () => {
        const { paths } = JSON.parse(text) as { paths: string[] };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data: Object.fromEntries(paths.map((path) => [path, capabilities(path)])) }));
      });
    });
    return diagnosis({ ...settings(), SERVICES: "admin", SECRETS_URL: url, ADMIN_SERVICE_ROLE_ID: "a", ADMIN_SERVICE_SECRET_ID: "four-of-the-secrets", USERS_URL: "http://127.0.0.1:2" });
  };
  const [bare, none, full] = await Promise.all([
    at(() => ["deny"]),
    at(() => ["deny"], ["default"]),
    at((path) => (/role\/[A-Z-]+(\/|$)|gatehouse-doctor(\/|$)|acl/.test(path) && !/mounts|sys\/auth/.test(path) ? ["create", "read", "update", "delete", "list", "patch"] : ["list"])),
  ]);
  const errors = (found: typeof bare) => found?.of("secrets").filter(({ status }) => status === "error");
  expect(errors(bare)).toMatchObject([{ check: "capabilities", sentence: expect.stringContaining('the policy "platform-admin" is missing or empty'), remedy: expect.stringContaining("npm run provision") }]);
  expect(bare?.of("secrets").filter(({ check }) => check === "mount")).toMatchObject([{ status: "not-checked" }]);
  expect(errors(none)).toMatchObject([{ check: "capabilities", sentence: expect.stringContaining("gives its tokens no policy"), remedy: expect.stringContaining("token_policies=platform-admin") }]);
  expect(full?.having("secrets", "mount-missing")).toHaveLength(1);
  const [left] = full?.having("secrets", "capabilities-left") ?? [];
  expect(left).toMatchObject({ status: "ok", remedy: null });
  expect(left?.sentence).toBe(
    "admin-service: its policies leave to it, and so to who has ADMIN_SERVICE_SECRET_ID, to give a new AppRole any policy, to make credentials of the platform's own AppRoles, to delete the platform's own AppRoles",
  );
});

test("a broker that cannot be read, lacks topics or rights, or is not the one meant", { timeout: MINUTE_MS }, async () => {
  const topic = (name: string, data: object) => ({ [`/v3/clusters/c/topics/${name}`]: { topic_name: name, is_internal: false, partitions_count: 3, replication_factor: 3, ...data } });
  const cluster = { "/v3/clusters": { data: [{ cluster_id: "c" }] }, "/v3/clusters/c/brokers": { data: [{}, {}, {}] } };
  const unread = await scripted(
    answering({
      ...cluster,
      ...topic("platform.users", { replication_factor: 1, partitions_count: 1, authorized_operations: ["READ", "DESCRIBE"] }),
      "/v3/clusters/c/topics/platform.audit": [404, { error_code: 40403, message: "This server does not host this topic-partition." }],
    }),
  );
  const { having, exit } = await diagnosis({ ...settings(), BROKER_URL: unread });
  expect(exit).toBe(1);
  expect(having("broker", "cluster")).toMatchObject([{ sentence: "Leads to the cluster c with 3 brokers" }]);
  expect(having("broker", "topic-narrow")).toMatchObject([{ remedy: expect.stringContaining("--topic platform.users --partitions 3") }]);
  expect(having("broker", "topic-single")).toHaveLength(1);
  expect(having("broker", "topic-missing")).toMatchObject([{ sentence: expect.stringContaining("platform.audit") }]);
  expect(having("broker", "rights-missing")).toMatchObject([{ sentence: "platform.users: the credential lacks WRITE" }]);
  expect(having("broker", "reading-none")).toMatchObject([{ status: "error", remedy: expect.stringContaining("KAFKA_BROKERS") }]);

  const locked = await scripted(answering({ "/v3/clusters": [401, { error_code: 40101, message: "" }] }));
  const [none, wrong, other] = await Promise.all([
    diagnosis({ ...settings(), BROKER_URL: locked }),
    diagnosis({ ...settings(), BROKER_URL: locked, BROKER_AUTHORIZATION: "Basic d3Jvbmc6d3Jvbmc=" }),
    diagnosis({ ...settings(), BROKER_URL: await scripted(answering({})) }),
  ]);
  expect(none?.having("broker", "credential-none")).toHaveLength(1);
  expect(wrong?.having("broker", "credential-refused")).toMatchObject([{ remedy: expect.stringContaining("BROKER_AUTHORIZATION") }]);
  expect(other?.having("broker", "not-rest")).toMatchObject([{ remedy: expect.stringContaining("KAFKA_BROKERS") }]);
});

test("a Redis by its REST interface: refused, without scripts, and slow", { timeout: MINUTE_MS }, async () => {
  const speaking = (answers: (command: string) => [number, object], pause = 0) =>
    scripted((request, response) => {
      let text = "";
      request.on("data", (part: Buffer) => (text += part.toString()));
      request.on("end", () => {
        const [status, body] = answers((JSON.parse(text) as string[])[0] ?? "");
        setTimeout(() => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)), pause);
      });
    });
  const place = async (url: string) => diagnosis({ ...settings(), UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: "six-of-the-secrets" });
  const info = "redis_version:7.2.0\r\nrole:master\r\nmaxmemory:1000\r\nused_memory:950\r\nmaxmemory_policy:allkeys-lru\r\n";
  const [refused, bound] = await Promise.all([
    place(await speaking(() => [401, { error: "WRONGPASS invalid or missing auth token" }])),
    place(await speaking((command) => (command === "PING" ? [200, { result: "PONG" }] : command === "INFO" ? [200, { result: info }] : [400, { error: "NOPERM this user has no permissions to run the 'eval' command" }]), 80)),
  ]);
  expect(refused?.having("redis", "credential-refused")).toMatchObject([{ sentence: "Does not accept UPSTASH_REDIS_REST_TOKEN" }]);
  expect(bound?.faults.filter((fault) => fault.startsWith("redis/"))).toEqual(["redis/latency-high", "redis/scripts-refused", "redis/eviction-early"]);
});

test("a Redis that allows what counting needs and nothing else is fine", { timeout: MINUTE_MS }, async () => {
  const asked: string[][] = [];
  const url = await scripted((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      const words = JSON.parse(text) as string[];
      asked.push(words);
      const [status, body] = words[0] === "EVAL" ? [200, { result: [1, 1] }] : [400, { error: `NOPERM User gateway has no permissions to run the '${words[0]?.toLowerCase()}' command` }];
      response.writeHead(status as number, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  const { having, faults } = await diagnosis({ ...settings(), UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: "six-of-the-secrets" });
  for (const code of ["reached", "credential", "latency", "scripts"]) expect(having("redis", code)).toHaveLength(1);
  expect(faults.filter((fault) => fault.startsWith("redis/"))).toEqual([]);
  expect(asked.filter(([name]) => name === "EVAL").every((words) => words[3]?.startsWith("gatehouse:limit:"))).toBe(true);
});
