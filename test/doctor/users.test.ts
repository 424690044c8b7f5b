import { expect, test } from "vitest";
import { type Ask, askOf } from "../../src/doctor/client.ts";
import { usersFinding } from "../../src/doctor/identity/users.ts";
import { answering, scripted } from "./upstream.ts";

const users = [{ userId: "ASHA1234", identityId: "a" }, { userId: "RAVI5678", identityId: "b" }];

async function asking(routes: Record<string, unknown>): Promise<Ask> {
  return askOf({ name: "identity provider", url: await scripted(answering(routes)) }, { fetch: (request) => fetch(request), now: Date.now });
}

test("users whose identities are there are fine, and those whose are not are named", async () => {
  const ask = await asking({ "/admin/realms/platform/users/a": {}, "/admin/realms/platform/users/c": {} });
  const at = { ask, realm: "platform", token: "t" };
  expect(await usersFinding(async () => users.slice(0, 1), at)).toMatchObject({ code: "users", status: "ok" });
  expect(await usersFinding(async () => [], at)).toMatchObject({ code: "users", status: "ok" });
  expect(await usersFinding(async () => users, at)).toMatchObject({ code: "users-lost", status: "error", sentence: "It does not know 1 of the newest 2 users: RAVI5678 cannot sign in" });
});

test("what cannot be asked is said not to have been checked", async () => {
  const at = { ask: await asking({ "/admin/realms/platform/users/a": [403, {}] }), realm: "platform", token: "t" };
  expect(await usersFinding(async () => users, at)).toMatchObject({ check: "users", status: "not-checked" });
  expect(await usersFinding(() => Promise.reject(new Error("away")), at)).toMatchObject({ check: "users", status: "not-checked" });
  expect(await usersFinding(async () => users, { ...at, token: undefined })).toMatchObject({ check: "users", status: "not-checked" });
});
