import { expect, test } from "vitest";
import { person } from "../platform.ts";
import { client } from "./client.ts";
import type { Launched } from "./launch.ts";

type At = { platform: Launched; request: ReturnType<typeof client>; administrator: { username: string; password: string } };

/** Within this, a lock is known to every service. */
const STATED_MS = 10_000;

/** What a lock does to tokens that are out already, where services have nothing but events to learn of it. */
export function revocation(at: () => At): void {
  const signIn = async (username: string, password: string) => (await at().request("/api/auth/authenticate", { json: { username, password } })).text;
  const administer = async (token: string) => (await at().request("/api/admin/realm-roles", { token })).status;

  test("an administrator's token is refused by the administration within ten seconds of their lock", async () => {
    const { request, administrator } = at();
    const erin = person();
    const { userId } = (await request("/api/users/register", { json: erin })).body;
    await makeAdministrator(at(), userId);
    const token = await signIn(userId, erin.password);
    expect(await administer(token)).toBe(200);

    const admin = await signIn(administrator.username, administrator.password);
    const setLock = (isLockUser: boolean) => request(`/api/users/${userId}`, { method: "PUT", token: admin, json: { isLockUser } });
    expect((await setLock(true)).status).toBe(200);
    await expect.poll(() => administer(token), { timeout: STATED_MS, interval: 250 }).toBe(401);
    expect(await administer(admin)).toBe(200);

    expect((await setLock(false)).status).toBe(200);
    const fresh = await signIn(userId, erin.password);
    await expect.poll(() => administer(fresh), { timeout: STATED_MS, interval: 250 }).toBe(200);
    expect(await administer(token)).toBe(401);
  });
}

/** Gives a user the realm role ADMIN, as an operator does at the identity provider. */
async function makeAdministrator({ platform }: At, userId: string): Promise<void> {
  const form = { grant_type: "client_credentials", client_id: "admin-service", client_secret: platform.adminServiceSecret };
  const granted = await fetch(`${platform.issuer}/protocol/openid-connect/token`, { method: "POST", body: new URLSearchParams(form) });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const ask = client(platform.adminRest);
  const [identity] = (await ask(`/users?exact=true&username=${userId}`, { token })).body as unknown as { id: string }[];
  const role = (await ask("/roles/ADMIN", { token })).body;
  expect((await ask(`/users/${identity?.id}/role-mappings/realm`, { token, json: [role] })).status).toBe(204);
}
