import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedIdentity } from "../../src/identity/embedded/app.ts";
import { fresh, newPerson, wire, type Answer, type Person, type Wire } from "../wire/identity/wire.ts";
import { embeddedUnderTest, type EmbeddedUnderTest } from "./embedded.ts";

let embedded: EmbeddedUnderTest;
let at: Wire;
beforeAll(async () => {
  embedded = await embeddedUnderTest();
  at = wire(embedded);
});
afterAll(() => embedded.close());

const refresh = (refresh_token: string) => at.token(at.authService, { grant_type: "refresh_token", refresh_token });
const statuses = (answers: Answer[]) => Map.groupBy(answers, ({ status }) => status);
const admin = async (line: string, body?: unknown) => at.admin(line, { as: await at.serviceToken(at.userService), body });

describe("refresh tokens", () => {
  it("give exactly one of 64 parallel uses new tokens, which are dead too", async () => {
    const person = await newPerson(at);
    const { body } = await at.login(person);
    const answers = await Promise.all(Array.from({ length: 64 }, () => refresh(body.refresh_token)));
    const byStatus = statuses(answers);
    expect([byStatus.get(200)?.length, byStatus.get(400)?.length]).toEqual([1, 63]);
    expect((await refresh(byStatus.get(200)?.[0]?.body.refresh_token)).body.error_description).toBe("Session doesn't have required client");
  });

  it("do not outlive lock and unlock, even when used while it happens", async () => {
    const person = await newPerson(at);
    const { body } = await at.login(person);
    const [, , raced] = await Promise.all([admin(`PUT /users/${person.id}`, { enabled: false }), admin(`POST /users/${person.id}/logout`), refresh(body.refresh_token)]);
    await admin(`POST /users/${person.id}/logout`);
    await admin(`PUT /users/${person.id}`, { enabled: true });
    expect((await refresh(body.refresh_token)).status).toBe(400);
    if (raced.status === 200) expect((await refresh(raced.body.refresh_token)).status).toBe(400);
  });

  it("end with the session's idle time, and with its whole time however often used", async () => {
    const person = await newPerson(at);
    const idle = (await at.login(person)).body;
    let used = (await at.login(person)).body;
    const at0 = embedded.clock.shift;
    try {
      // The real clock goes on beneath the shift: the margins are what a slow machine may take.
      embedded.clock.shift = at0 + 1_780_000;
      expect((await refresh(idle.refresh_token)).status).toBe(200);
      const stale = (await at.login(person)).body;
      embedded.clock.shift += 1_801_000;
      expect((await refresh(stale.refresh_token)).body.error_description).toBe("Token is not active");
      embedded.clock.shift = at0;
      for (let n = 0; n <= 20; n++) {
        embedded.clock.shift = at0 + n * 1_780_000;
        const answer = await refresh(used.refresh_token);
        expect(answer.status).toBe(200);
        used = answer.body;
      }
      expect(used.refresh_expires_in).toBeLessThanOrEqual(36_000 - 20 * 1780 + 1);
      embedded.clock.shift = at0 + 36_001_000;
      expect((await refresh(used.refresh_token)).status).toBe(400);
    } finally {
      embedded.clock.shift = at0;
    }
  });

  it("are refused with the algorithm, key or kind changed", async () => {
    const person = await newPerson(at);
    const { body } = await at.login(person, { scope: "openid" });
    const claims = body.refresh_token.split(".")[1];
    const none = `${btoa('{"alg":"none","typ":"JWT"}').replace(/=+$/, "")}.${claims}.`;
    for (const forged of [none, body.access_token, body.id_token, `${body.refresh_token}x`, body.refresh_token.replace(".", "..")]) {
      expect((await refresh(forged)).body.error_description).toBe("Invalid refresh token");
    }
  });
});

describe("sign-in", () => {
  it.each<[string, (person: Person) => Promise<unknown>]>([
    ["is locked", ({ id }) => admin(`PUT /users/${id}`, { enabled: false })],
    ["is deleted", ({ id }) => admin(`DELETE /users/${id}`)],
    ["gets another password", ({ id }) => admin(`PUT /users/${id}/reset-password`, { value: "Another-Horse-Battery-2" })],
  ])("opens no session to who %s while the password is checked", async (_, change) => {
    const person = await newPerson(at);
    const answer = await duringHash(() => at.login(person), () => change(person));
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_grant"]);
    expect(await sessionsOf(person)).toBe("0");
  });

  it("leaves no session to who is locked among many sign-ins", async () => {
    const person = await newPerson(at);
    const logins = Promise.all(Array.from({ length: 8 }, () => at.login(person)));
    await admin(`PUT /users/${person.id}`, { enabled: false });
    await admin(`POST /users/${person.id}/logout`);
    const answers = await logins;
    await admin(`PUT /users/${person.id}`, { enabled: true });
    // Whoever came through before the lock lost the session to the logout; nobody came through after.
    for (const answer of answers.filter(({ status }) => status === 200)) expect((await refresh(answer.body.refresh_token)).status).toBe(400);
    expect(await sessionsOf(person)).toBe("0");
  });

  it("does as much work for an unknown, a disabled and a passwordless user as for a known one", async () => {
    const costly = embeddedIdentity({ db: embedded.database.db, url: at.baseUrl, realm: at.realm, now: Date.now, iterations: 1000 });
    const calls: unknown[] = [];
    const { deriveBits } = crypto.subtle;
    crypto.subtle.deriveBits = (...parameters: Parameters<typeof deriveBits>) => {
      calls.push((parameters[0] as { iterations?: number }).iterations);
      return deriveBits.apply(crypto.subtle, parameters);
    };
    try {
      const known = await newPerson(at);
      const disabled = await newPerson(at, { enabled: false });
      const bare = await newPerson(at, { credentials: [] });
      const there = wire({ ...embedded, fetch: (request) => costly.fetch(request) });
      for (const username of [known.username, disabled.username, bare.username, "nobody", "service-account-user-service", ""]) {
        calls.length = 0;
        await there.login({ username, password: "wrong" });
        expect([username, calls]).toEqual([username, [1000]]);
      }
    } finally {
      crypto.subtle.deriveBits = deriveBits;
    }
  });

  it("answers 503 instead of queueing passwords without end", async () => {
    const answers = await Promise.all(Array.from({ length: 128 }, () => at.login({ username: "nobody", password: "wrong" })));
    const byStatus = statuses(answers);
    expect(byStatus.get(503)?.length).toBeGreaterThan(0);
    expect(byStatus.get(400)?.length).toBeGreaterThanOrEqual(36);
    expect(byStatus.get(503)?.[0]?.headers.get("retry-after")).toBe("1");
    expect((await at.login(at.administrator)).status).toBe(200);
  });

  it("refuses a form of more than 64 KiB", async () => {
    expect((await at.login({ username: "x".repeat(65_536), password: "x" })).status).toBe(413);
  });
});

describe("uniqueness", () => {
  it("gives one of 64 parallel creations of a username in other case the user", async () => {
    const name = fresh("same");
    const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => admin("POST /users", { username: spelled(name, n) })));
    expect(statuses(answers).get(201)).toHaveLength(1);
    expect(statuses(answers).get(409)).toHaveLength(63);
  });

  it("gives one of 64 parallel creations with an e-mail in other case the user", async () => {
    const mail = `${fresh("same")}@example.test`;
    const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => admin("POST /users", { username: fresh("user"), email: spelled(mail, n) })));
    expect(statuses(answers).get(201)).toHaveLength(1);
    expect(statuses(answers).get(409)).toHaveLength(63);
    expect(await embedded.database.query("select count(*) from identity.users where email = $1", [mail])).toEqual([{ count: "1" }]);
  });

  it("gives one of parallel changes to an e-mail the e-mail", async () => {
    const people = await Promise.all(Array.from({ length: 24 }, () => newPerson(at)));
    const mail = `${fresh("same")}@example.test`;
    const answers = await Promise.all(people.map(({ id }) => admin(`PUT /users/${id}`, { email: mail })));
    expect(statuses(answers).get(204)).toHaveLength(1);
    expect(statuses(answers).get(409)).toHaveLength(23);
  });

  it("reads a wildcard of SQL as itself", async () => {
    await newPerson(at);
    for (const query of ["username=%25", "username=_______&exact=true", "search=%25", "search=_", "email=%25%25"]) {
      expect([query, (await admin(`GET /users?${query}`)).body]).toEqual([query, []]);
    }
  });
});

it("stores no password, and shows no hash and no key", async () => {
  const person = await newPerson(at);
  const as = await at.serviceToken(at.adminService);
  const shown: string[] = [];
  for (const line of [`/users/${person.id}`, "/users?max=-1", "/roles", `/users/${person.id}/role-mappings`, "/roles/ADMIN/users"]) {
    shown.push((await at.admin(`GET ${line}`, { as })).text);
  }
  shown.push((await at.send(`${at.protocol}/certs`)).text, (await at.send(`${at.issuer}/.well-known/openid-configuration`)).text);
  const [row] = await embedded.database.query("select u.*, k.* from identity.users u, identity.keys k where u.id = $1", [person.id]);
  const secrets = [row?.["password"] ?? "", row?.["refresh_secret"] ?? "", JSON.parse(row?.["private_key"] ?? "{}").d, "auth-service-secret"];
  expect(secrets.every((secret) => secret.length > 10)).toBe(true);
  for (const text of shown) for (const secret of [...secrets, person.password]) expect(text).not.toContain(secret);
  expect(JSON.stringify(row)).not.toContain(person.password);
});

async function sessionsOf({ id }: Person): Promise<unknown> {
  const [row] = await embedded.database.query('select count(*) from identity.sessions where "user" = $1', [id]);
  return row?.["count"];
}

/** Does `meanwhile` after the next hash has begun and before it ends: the longest gap between reading and writing. */
async function duringHash<T>(work: () => Promise<T>, meanwhile: () => Promise<unknown>): Promise<T> {
  const { deriveBits } = crypto.subtle;
  crypto.subtle.deriveBits = async (...parameters: Parameters<typeof deriveBits>) => {
    crypto.subtle.deriveBits = deriveBits;
    await meanwhile();
    return deriveBits.apply(crypto.subtle, parameters);
  };
  try {
    return await work();
  } finally {
    crypto.subtle.deriveBits = deriveBits;
  }
}

function spelled(text: string, n: number): string {
  return Array.from(text, (letter, index) => ((n >> index % 6) & 1 ? letter.toUpperCase() : letter)).join("");
}
