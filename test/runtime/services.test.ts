import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PLATFORM, runToEnd } from "../command.ts";
import { person } from "../platform.ts";
import { client, credentialClient } from "./client.ts";
import { freePorts, launch, type Launched } from "./launch.ts";

const START_MS = 60_000;

const folders: string[] = [];
const running = new Set<Launched>();

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "gatehouse-"));
  folders.push(made);
  return made;
}

async function start(settings: Record<string, string>): Promise<Launched> {
  const started = await launch(PLATFORM, { GATEHOUSE_DATA: await folder(), ...(await freePorts()), ...settings });
  running.add(started);
  return started;
}

afterAll(async () => {
  await Promise.all([...running].map(({ kill }) => kill()));
  await Promise.all(folders.map((made) => rm(made, { recursive: true, force: true })));
}, START_MS);

describe("The configuration server in a process of its own", { timeout: START_MS }, () => {
  let rest: Launched;
  let server: Launched;
  let apart: Record<string, string>;
  let secrets: Record<string, string>;
  let files: string;

  beforeAll(async () => {
    const data = await folder();
    files = await folder();
    await writeFile(join(files, "auth-service.yml"), "legacy:\n  get-login: off\n");
    await writeFile(join(files, "gateway.yml"), "public-url: https://file.example\n");
    rest = await start({ SERVICES: "gateway,users,auth,admin,discovery", GATEHOUSE_DATA: data });
    secrets = JSON.parse(await readFile(join(data, "secrets.json"), "utf8")) as typeof secrets;
    const { CONFIG_SERVER_ROLE_ID = "", CONFIG_SERVER_SECRET_ID = "" } = secrets;
    const others = { IDENTITY_URL: rest.identity, SECRETS_URL: rest.secrets, DISCOVERY_URL: rest.registerAt };
    apart = { SERVICES: "config", ...others, CONFIG_SERVER_ROLE_ID, CONFIG_SERVER_SECRET_ID, CONFIG_DIR: files, GATEHOUSE_DATA: await folder(), ...(await freePorts()) };
    server = await start(apart);
  }, 2 * START_MS);

  /** Service → its state on the dashboard. */
  const dashboard = async () => {
    const page = await (await fetch(rest.discovery)).text();
    const services = page.split("data-service=").slice(1).map((part) => [/^"([^"]+)"/.exec(part)?.[1], /class="status[^>]*>([^<]+)</.exec(part)?.[1]]);
    return Object.fromEntries(services) as Record<string, string>;
  };
  const withServer = (state: string) => ({
    Gateway: "Up",
    "User service": "Up",
    "Authentication service": "Up",
    "Administration service": "Up",
    "Configuration server": state,
  });
  // Of what it has just asked, the page tells for three seconds.
  const shows = (state: string) => expect.poll(dashboard, { timeout: 15_000, interval: 250 }).toEqual(withServer(state));
  const registered = async () => (await credentialClient(rest.registerAt)("/apps/CONFIG-SERVER", { headers: { accept: "application/json" } })).status;

  test("registers with the others, prints its own URL, and knows their secrets store", async () => {
    await shows("Up");
    expect(server.output()).not.toContain("Administrator");
    await expect.poll(async () => (await client(server.configuration)("/actuator/health/secretsStore")).body, { timeout: 10_000 }).toEqual({ status: "UP" });
    expect((await credentialClient(server.configureFrom)("/auth-service/dev")).body["propertySources"]).toEqual([
      { name: `file:${files}/auth-service.yml`, source: { "legacy.get-login": false } },
    ]);
  });

  test("tells services in other processes their settings, over which their environment wins", async () => {
    const { AUTH_SERVICE_CLIENT_SECRET = "" } = secrets;
    const settings = { SERVICES: "gateway,auth", CONFIG_URL: server.configureFrom, PUBLIC_URL: "https://environment.example" };
    const told = await start({ ...settings, IDENTITY_URL: rest.identity, USERS_URL: rest.users, AUTH_SERVICE_CLIENT_SECRET });
    const user = person();
    const { userId: username } = (await client(rest.gateway)("/api/users/register", { json: user })).body;
    const request = client(told.gateway);
    const credentials = { username: username as string, password: user.password };
    expect((await request("/api/auth/authenticate", { json: credentials })).status).toBe(200);
    const byGet = await request(`/api/auth/authenticate?${new URLSearchParams(credentials)}`);
    expect({ status: byGet.status, code: byGet.body["code"] }).toEqual({ status: 405, code: "METHOD_NOT_ALLOWED_405" });
    const { text } = await request("/");
    expect([text.includes("https://environment.example/api"), text.includes("https://file.example")]).toEqual([true, false]);
    await told.stop();
  });

  test("keeps a service with a broken file from starting, and says where it is broken", async () => {
    await writeFile(join(files, "gateway.yml"), "public-url: https://file.example\nrate: {\n");
    const settings = { SERVICES: "gateway", CONFIG_URL: server.configureFrom, GATEHOUSE_DATA: await folder(), ...(await freePorts()) };
    const { code, output } = await runToEnd(PLATFORM, settings);
    const sentence = `Cannot read the configuration of "gateway" at ${server.configuration}: Cannot read "gateway.yml": line 3, column 1: `;
    expect({ code, lines: output.split("\n") }).toEqual({ code: 1, lines: [expect.stringContaining(sentence), ""] });
    await rm(join(files, "gateway.yml"));
  });

  test("is shown not to answer when it is killed while the others go on, and up when it is back", async () => {
    await server.kill();
    await shows("Not answering");
    expect(await registered()).toBe(200);
    server = await start(apart);
    await shows("Up");
  });

  test("leaves the registry at once when it is ended in good order", async () => {
    expect(await server.stop("SIGTERM")).toBe(0);
    expect(await registered()).toBe(404);
    await shows("Down");
  });

  test("an application that nobody has allowed is not reached, however it registers", async () => {
    const instance = { instanceId: "orders:1", app: "ORDERS", hostName: "localhost", ipAddr: "127.0.0.1", status: "UP", vipAddress: "orders", port: { $: Number(new URL(rest.users).port), "@enabled": "true" } };
    const dataCenterInfo = { "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", name: "MyOwn" };
    expect((await credentialClient(rest.registerAt)("/apps/ORDERS", { json: { instance: { ...instance, dataCenterInfo } } })).status).toBe(204);
    expect((await client(rest.gateway)("/orders/v3/api-docs")).status).toBe(404);
  });
});

describe("A process that is to run some services", () => {
  const ELSEWHERE = { IDENTITY_URL: "http://localhost:9", SECRETS_URL: "http://localhost:9" };
  const ROLE = { CONFIG_SERVER_ROLE_ID: "role", CONFIG_SERVER_SECRET_ID: "secret" };
  const settings = (...lines: string[]) => `Cannot start with these settings:\n${lines.map((line) => `  ${line}\n`).join("")}`;

  test("keeps its bridge to Kafka to itself: another on this machine has the port", { timeout: START_MS }, async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const part = await start({ SERVICES: "users", KAFKA_BROKERS: "127.0.0.1:1", BROKER_PORT: String((taken.address() as AddressInfo).port) });
    expect([part.broker, (await client(part.users)("/actuator/health/liveness")).status]).toEqual(["", 200]);
    await part.stop();
    taken.close();
  });

  test.each<[string, Record<string, string>, string]>([
    ["another's secrets store without its credential", { SERVICES: "config", ...ELSEWHERE }, `${settings("CONFIG_SERVER_ROLE_ID: Is needed", "CONFIG_SERVER_SECRET_ID: Is needed")}Run \`npm run provision\`, or set them\n`],
    ["a folder that is none", { SERVICES: "config", ...ELSEWHERE, ...ROLE, CONFIG_DIR: "package.json" }, `Cannot read the configuration in "package.json": it is no folder\n`],
    ["a configuration server that is not there", { SERVICES: "gateway", CONFIG_URL: "http://config:canary@localhost:9" }, `Cannot read the configuration of "gateway" at http://localhost:9: no usable answer\n`],
    [
      "a service that there is not, and URLs whose credentials cannot be read",
      { SERVICES: "gateway,orders", CONFIG_URL: "http://config:canary%zz@localhost:9", DISCOVERY_URL: "http://eureka:canary%zz@localhost:9/eureka" },
      settings(
        "SERVICES: Name some of gateway, users, auth, admin, discovery, config, each once",
        'CONFIG_URL: Use an http or https URL such as "http://user:password@localhost:8888"',
        'DISCOVERY_URL: Use http or https URLs such as "http://user:password@localhost:8761/eureka"',
      ),
    ],
  ])("says what is wrong when it is given %s", async (_, given, output) => {
    expect(await runToEnd(PLATFORM, { GATEHOUSE_DATA: await folder(), ...(await freePorts()), ...given })).toEqual({ code: 1, output });
  });
});
