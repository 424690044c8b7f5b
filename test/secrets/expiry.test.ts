import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { sweepSecrets } from "../../src/secrets/embedded/sweep.ts";
import { type Role, type Wire, wire } from "../wire/secrets/wire.ts";
import { EVERYTHING, embeddedUnderTest, type EmbeddedUnderTest } from "./embedded.ts";

let embedded: EmbeddedUnderTest;
let at: Wire;
beforeAll(async () => {
  embedded = await embeddedUnderTest();
  at = wire(embedded);
});
afterAll(() => embedded.close());
afterEach(() => {
  embedded.clock.shift = 0;
});

const rowsIn = async (table: string) => Number((await embedded.database.query(`select count(*) as rows from secrets.${table}`))[0]?.["rows"]);
const pass = (seconds: number) => {
  embedded.clock.shift += seconds * 1000;
};

async function issued(settings: Record<string, unknown> = {}): Promise<{ role: Role; token: string; secretId: string; accessor: string }> {
  const role = await at.newRole({ token_ttl: "1h", token_max_ttl: "4h", ...settings });
  const { secretId, accessor } = await at.newSecretId(role);
  return { role, secretId, accessor, token: (await at.login(role, secretId)).body.auth.client_token };
}

describe("a secret-id", () => {
  it("is refused from the moment it runs out, with no sweep in between", async () => {
    const { role, secretId, accessor } = await issued({ secret_id_ttl: "10s" });
    pass(9);
    expect((await at.login(role, secretId)).status).toBe(200);
    pass(1);
    expect(await at.login(role, secretId)).toMatchObject({ status: 400, body: { errors: ["invalid role or secret ID"] } });
    expect((await at.call(`LIST auth/approle/role/${role.name}/secret-id`)).status).toBe(404);
    expect((await at.call(`POST auth/approle/role/${role.name}/secret-id-accessor/lookup`, { body: { secret_id_accessor: accessor } })).status).toBe(404);
  });

  it("used up is refused, and is not there any more", async () => {
    const { role, secretId } = await issued({ secret_id_num_uses: 1 });
    expect((await at.login(role, secretId)).status).toBe(400);
    expect((await at.call(`LIST auth/approle/role/${role.name}/secret-id`)).status).toBe(404);
  });

  it("is not used by a login that fails", async () => {
    const role = await at.newRole({ secret_id_num_uses: 1 });
    const { secretId } = await at.newSecretId(role);
    const other = await at.newRole();
    expect((await at.login(other, secretId)).status).toBe(400);
    expect((await at.login(role, secretId)).status).toBe(200);
  });
});

describe("a token", () => {
  it("is refused from the moment it runs out, and not renewed then", async () => {
    const { token } = await issued();
    pass(3599);
    expect((await at.call("GET auth/token/lookup-self", { as: token })).status).toBe(200);
    pass(1);
    for (const line of ["GET auth/token/lookup-self", "POST auth/token/renew-self"]) expect((await at.call(line, { as: token })).status).toBe(403);
  });

  it("ends at its maximum however often it is renewed", async () => {
    const { token } = await issued();
    for (let n = 0; n < 4; n++) {
      pass(3500);
      expect((await at.call("POST auth/token/renew-self", { as: token, body: { increment: "1000h" } })).status).toBe(200);
    }
    pass(399);
    expect((await at.call("GET auth/token/lookup-self", { as: token })).status).toBe(200);
    pass(1);
    expect((await at.call("GET auth/token/lookup-self", { as: token })).status).toBe(403);
  });

  it("renewed while its last second passes is not brought back", async () => {
    const { token } = await issued();
    pass(3600);
    await Promise.all(Array.from({ length: 10 }, () => at.call("POST auth/token/renew-self", { as: token, body: { increment: "4h" } })));
    pass(-1);
    expect((await at.must("GET auth/token/lookup-self", { as: token })).data.ttl).toBeLessThanOrEqual(1);
  });
});

describe("the sweep", () => {
  it("removes what ran out and nothing else, and then finds nothing", async () => {
    pass(11);
    await sweepSecrets(embedded.needs);
    pass(-11);
    const before = { tokens: await rowsIn("tokens"), secretIds: await rowsIn("secret_ids") };
    const { token } = await issued({ secret_id_ttl: "10s", token_ttl: "10s" });
    const kept = await issued();
    pass(11);
    expect(await sweepSecrets(embedded.needs)).toBe(2);
    expect({ tokens: await rowsIn("tokens"), secretIds: await rowsIn("secret_ids") }).toEqual({ tokens: before.tokens + 1, secretIds: before.secretIds + 1 });
    expect(await sweepSecrets(embedded.needs)).toBe(0);
    expect((await at.call("GET auth/token/lookup-self", { as: token })).status).toBe(403);
    expect((await at.call("GET auth/token/lookup-self", { as: kept.token })).status).toBe(200);
  });

  it("never removes the platform's own credentials", async () => {
    pass(10 * 365 * 86_400);
    await sweepSecrets(embedded.needs);
    expect((await at.login({ name: "everything", roleId: EVERYTHING.roleId }, EVERYTHING.secretId)).status).toBe(200);
  });
});
