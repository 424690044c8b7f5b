import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSettingsFile } from "../../workers/settings-file.ts";
import { type Command, runToEnd } from "../command.ts";
import { person } from "../platform.ts";
import { realUrl } from "../systems/embedded.ts";
import { administration } from "./administration.ts";
import { client } from "./client.ts";
import { configuration } from "./configuration.ts";
import { discovery } from "./discovery.ts";
import { revocation } from "./lock.ts";
import { freePorts, launch, type Launched, type Ports } from "./launch.ts";
import { refusals } from "./refusals.ts";
import { provideSystems, type Systems } from "./systems.ts";

const ADDRESS = { addressLine1: "12 Lake View Road", city: "Pune", state: "Maharashtra", pinCode: "411001", addressType: "PERMANENT" };
const START_MS = 60_000;

/** What a user meets, through the gateway, whichever runtime the platform runs on. */
export function journey(runtime: string, command: Command): void {
  describe(`on ${runtime}`, { timeout: 30_000 }, () => {
    let data: string;
    let systems: Systems;
    let ports: Ports;
    let platform: Launched;
    let request: ReturnType<typeof client>;
    let administrator: { username: string; password: string };
    const asha = person({ password: "Canary-Horse-7-Battery" });
    const started: Launched[] = [];
    let userId: string;
    let tokens: { access_token: string; refresh_token: string };

    const start = async () => {
      platform = await launch(command, { GATEHOUSE_DATA: data, ROUTED_APPLICATIONS: "orders", ...ports });
      started.push(platform);
      request = client(platform.gateway);
    };
    const authenticate = (username: string, password: string) =>
      request("/api/auth/authenticate", { json: { username, password }, headers: { accept: "application/json" } });

    beforeAll(async () => {
      data = await mkdtemp(join(tmpdir(), "gatehouse-"));
      ports = await freePorts();
      systems = await provideSystems(data);
      await start();
      administrator = (systems.administrator ?? platform.administrator)!;
    }, 2 * START_MS);

    afterAll(async () => {
      await platform?.stop();
      await systems?.close();
      await rm(data, { recursive: true, force: true });
    }, START_MS);

    test("the first start prints an administrator who can sign in", async () => {
      const { status, body } = await authenticate(administrator.username, administrator.password);
      expect({ status, type: body["token_type"] }).toEqual({ status: 200, type: "Bearer" });
    });

    test("everything says it is up, and describes itself", async () => {
      const health = async () => (await request("/actuator/health")).body;
      await expect.poll(health, { timeout: 10_000, interval: 250 }).toMatchObject({ status: "UP", components: { "user-service": { status: "UP" }, "auth-service": { status: "UP" }, "admin-service": { status: "UP" } } });
      expect((await request("/v3/api-docs/user-service")).body["paths"]).toHaveProperty("/api/users/register");
      expect((await request("/asyncapi.json")).body).toMatchObject({ asyncapi: "3.0.0", channels: { "platform.users": {}, "platform.audit": {} } });
      const page = await request("/");
      expect({ status: page.status, type: page.headers.get("content-type") }).toEqual({ status: 200, type: expect.stringContaining("text/html") });
    });

    test("step 1: registered", async () => {
      const { status, body, headers } = await request("/api/users/register", { json: asha });
      expect({ status, code: body["responseCode"] }).toEqual({ status: 201, code: "USER_CREATED_201" });
      userId = body["userId"];
      expect(headers.get("location")).toBe(`/api/users/${userId}`);
    });

    test("signed in by POST and by GET, as plain text and as JSON", async () => {
      const posted = await request("/api/auth/authenticate", { json: { username: userId, password: asha.password } });
      expect({ status: posted.status, type: posted.headers.get("content-type"), text: posted.text }).toEqual({
        status: 200,
        type: expect.stringContaining("text/plain"),
        text: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      });
      const query = new URLSearchParams({ username: asha.emailId, password: asha.password });
      const got = await request(`/api/auth/authenticate?${query}`);
      expect({ status: got.status, deprecation: got.headers.get("deprecation") }).toEqual({ status: 200, deprecation: expect.stringMatching(/^@\d+$/) });
      const { status, body } = await authenticate(userId, asha.password);
      expect(status).toBe(200);
      tokens = body as typeof tokens;
    });

    test("steps 2 and 3: address, contact and security questions complete the registration", async () => {
      const token = tokens.access_token;
      const update = { updateAddressDto: ADDRESS, updateContactDto: { contactNumber: "8123456789" } };
      const updated = await request(`/api/users/${userId}`, { method: "PUT", token, json: update });
      expect({ status: updated.status, code: updated.body["responseCode"] }).toEqual({ status: 200, code: "USER_UPDATED_200" });
      const details = { securityQuestions: [{ question: "First school?", answer: "canary-answer-Lakeside" }] };
      const secured = await request(`/api/security-details/${userId}`, { method: "PUT", token, json: details });
      expect({ status: secured.status, code: secured.body["responseCode"] }).toEqual({ status: 200, code: "SECURITY_DETAILS_UPDATED_200" });

      for (const path of ["/api/users/me", `/api/users/${userId}`]) {
        const { status, body } = await request(path, { token });
        expect(status).toBe(200);
        expect(body).toMatchObject({
          userId,
          status: "ACTIVE",
          addresses: [ADDRESS],
          contacts: [{ type: "PRIMARY" }, { contactNumber: "8123456789", type: "SECONDARY" }],
          registration: { status: "REGISTRATION_COMPLETE", lastStepCompleted: "SECURITY_CREDENTIALS_ADDED", nextStep: null },
        });
      }
    });

    test("an e-mail is registered once, however it is spelled and however many try at once", async () => {
      const bela = person();
      const spellings = [bela.emailId, bela.emailId.toUpperCase(), bela.emailId.replace("asha", "ａｓｈａ"), ` ${bela.emailId} `];
      const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => request("/api/users/register", { json: { ...bela, emailId: spellings[index % 4] } })));
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(statuses).toEqual([201, ...Array<number>(11).fill(409)]);
    });

    test("somebody else's profile is refused, and shown to an administrator", async () => {
      const { body } = await request("/api/users/register", { json: person() });
      const other = await request(`/api/users/${body["userId"]}`, { token: tokens.access_token });
      expect({ status: other.status, code: other.body["code"] }).toEqual({ status: 403, code: "FORBIDDEN_403" });
      const admin = (await authenticate(administrator.username, administrator.password)).body["access_token"];
      expect((await request(`/api/users/${userId}`, { token: admin })).status).toBe(200);
      const missing = await request("/api/users/USR00000000000000000000000000", { token: admin });
      expect({ status: missing.status, code: missing.body["code"] }).toEqual({ status: 404, code: "USER_NOT_FOUND_404" });
    });

    test("a refresh token is used once, and a session that has ended stays ended", async () => {
      const renewed = await request("/api/auth/refresh", { json: { refresh_token: tokens.refresh_token } });
      expect(renewed.status).toBe(200);
      const ended = await request("/api/auth/logout", { json: { refresh_token: renewed.body["refresh_token"] } });
      expect(ended.status).toBe(204);
      for (const refresh_token of [tokens.refresh_token, renewed.body["refresh_token"]]) {
        const dead = await request("/api/auth/refresh", { json: { refresh_token } });
        expect({ status: dead.status, code: dead.body["code"] }).toEqual({ status: 401, code: "REFRESH_TOKEN_INVALID_401" });
      }
    });

    test("a known and an unknown name are refused alike, and both are locked after five guesses", async () => {
      const { body } = await request("/api/users/register", { json: person() });
      for (const username of [body["userId"], "nobody.at.all"]) {
        const answers = await Promise.all(Array.from({ length: 12 }, () => authenticate(username, "canary-Wrong-Guess-1")));
        const judged = answers.filter(({ status }) => status === 401);
        expect(judged.length).toBeLessThanOrEqual(5);
        expect(new Set(judged.map(({ body }) => JSON.stringify({ ...body, traceId: "" }))).size).toBe(1);
        for (let guesses = judged.length; guesses < 5; guesses++) await authenticate(username, "canary-Wrong-Guess-1");
        const locked = await authenticate(username, "canary-Wrong-Guess-1");
        expect({ status: locked.status, code: locked.body["code"] }).toEqual({ status: 403, code: "ACCOUNT_LOCKED_403" });
        expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(50);
      }
    });

    test("a lock shuts the user out at once; only an administrator takes it back", async () => {
      const carol = person();
      const id = (await request("/api/users/register", { json: carol })).body["userId"];
      const { access_token: token, refresh_token } = (await authenticate(id, carol.password)).body;
      const lock = (isLockUser: boolean, as: string) => request(`/api/users/${id}`, { method: "PUT", token: as, json: { isLockUser } });
      expect((await lock(true, token)).status).toBe(200);
      expect((await authenticate(id, carol.password)).body["code"]).toBe("ACCOUNT_LOCKED_403");
      expect((await request("/api/users/me", { token })).status).toBe(403);
      expect((await lock(false, token)).status).toBe(403);
      const admin = (await authenticate(administrator.username, administrator.password)).body["access_token"];
      expect((await lock(false, admin)).status).toBe(200);
      expect((await request("/api/users/me", { token })).status).toBe(401);
      expect((await authenticate(id, carol.password)).status).toBe(200);
      expect((await request("/api/auth/refresh", { json: { refresh_token } })).status).toBe(401);
    });

    describe("administration", () => {
      let token: string;
      beforeAll(async () => {
        token = (await authenticate(administrator.username, administrator.password)).body["access_token"];
      });
      administration(() => ({ platform, request, token }));
      configuration(() => ({ platform, request, token }));
    });

    discovery(() => ({ platform, request, isOnDemand: runtime === "Workers" }));

    revocation(() => ({ platform, request, administrator }));

    refusals(() => ({ platform, request, signIn: () => authenticate(administrator.username, administrator.password) }));

    test("the user is still there after a restart, and after a kill", async () => {
      expect(await platform.stop()).toBe(0);
      await start();
      expect(platform.administrator).toBeUndefined();
      expect((await authenticate(userId, asha.password)).status).toBe(200);

      const dora = person();
      const { body } = await request("/api/users/register", { json: dora });
      await platform.kill();
      await start();
      expect((await authenticate(body["userId"], dora.password)).status).toBe(200);
      expect((await authenticate(userId, asha.password)).status).toBe(200);
    }, 3 * START_MS);

    // Of a real database, as many may be users as like to.
    if (!realUrl("database")) {
      test("a second process on the same data says so in one sentence", async () => {
        const sameData = await runToEnd(command, { GATEHOUSE_DATA: data, ...(await freePorts()) });
        expect(sameData).toEqual({ code: 1, output: `Cannot open the database in "${data}/postgres": another process is using it\n` });
      }, START_MS);
    }

    test("a second process on a taken port says so in one sentence", async () => {
      const elsewhere = await mkdtemp(join(tmpdir(), "gatehouse-"));
      const samePort = await runToEnd(command, { GATEHOUSE_DATA: elsewhere, ...ports });
      await rm(elsewhere, { recursive: true });
      expect(samePort).toEqual({ code: 1, output: expect.stringMatching(/^(\{.+\}\n)*Cannot listen on port \d+ for the [a-z -]+: .+\n$/) });
    }, START_MS);

    test("nothing secret was written anywhere", () => {
      const written = started.map(({ output }) => output()).join("");
      const [first, ...later] = started;
      const isProvisioned = readSettingsFile(join(data, "settings.env"))["DISCOVERY_PASSWORD"] !== undefined;
      for (const url of [first!.registerAt, first!.configureFrom]) {
        expect(written.split(new URL(url).password)).toHaveLength(isProvisioned ? 1 : 2);
        for (const { output } of later) expect(output()).toContain(url.replace(new URL(url).password, "…"));
      }
      for (const secret of [asha.password, "canary-answer-Lakeside", "canary-secret-", "canary-Wrong-Guess-1", tokens.refresh_token]) expect(written).not.toContain(secret);
    });
  });
}
