import { afterAll, beforeAll, expect, test } from "vitest";
import { fresh, type Wire, wire } from "../wire/secrets/wire.ts";
import { embeddedUnderTest, type EmbeddedUnderTest } from "./embedded.ts";

let embedded: EmbeddedUnderTest;
let at: Wire;
beforeAll(async () => {
  embedded = await embeddedUnderTest();
  at = wire(embedded);
});
afterAll(() => embedded.close());

test("of 20 parallel creations of an AppRole without the right to change, one makes it and none writes over it", async () => {
  const role = `auth/approle/role/${fresh("svc")}`;
  const as = await at.tokenWith(`path "auth/approle/role/+" { capabilities = ["create", "read"] }`);
  const tries = Array.from({ length: 20 }, (_, n) => at.call(`POST ${role}`, { as, body: { token_policies: [`by-${n}`] } }));
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  const maker = statuses.indexOf(204);
  expect(statuses).toEqual(statuses.map((_, n) => (n === maker ? 204 : 403)));
  expect((await at.must(`GET ${role}`)).data.token_policies).toEqual([`by-${maker}`]);
});
