import { ADMIN, registered, signedIn, type TestPlatform } from "../platform.ts";

export type Member = Awaited<ReturnType<typeof member>>;

/** A registered user with an access token. */
export async function member(platform: TestPlatform, overrides: Record<string, unknown> = {}) {
  const user = await registered(platform, overrides);
  return { ...user, token: await signedIn(platform, { username: user.userId, password: user.password }) };
}

export function adminToken(platform: TestPlatform): Promise<string> {
  return signedIn(platform, ADMIN);
}

export function update(platform: Pick<TestPlatform, "request">, { userId, token }: { userId: string; token: string }, json: unknown) {
  return platform.request(`/api/users/${userId}`, { method: "PUT", token, json });
}

export const ADDRESS = { addressLine1: "12 Lake View Road", city: "Pune", state: "Maharashtra", pinCode: "411001", addressType: "PERMANENT" };

export type ProfileBody = {
  status: string;
  isLockUser: boolean;
  primaryContactNumber: string;
  contacts: { contactNumber: string; type: string }[];
  addresses: Record<string, string>[];
  registration: { status: string; lastStepCompleted: string; nextStep: string | null };
};

export async function profileOf(platform: Pick<TestPlatform, "request">, { userId, token }: { userId: string; token: string }): Promise<ProfileBody> {
  const response = await platform.request(`/api/users/${userId}`, { token });
  if (response.status !== 200) throw new Error(`Cannot read "${userId}": ${await response.text()}`);
  return (await response.json()) as ProfileBody;
}

/** The types and data of a user's events in a topic, in order. */
export async function eventsOf({ database }: Pick<TestPlatform, "database">, userId: string, topic = "platform.users") {
  const rows = await database.query("SELECT topic, type, data FROM events.outbox WHERE key = $1 AND topic = $2 ORDER BY position", [userId, topic]);
  return rows.map(({ topic, type, data }) => ({ topic, type: type ?? "", data: JSON.parse(data ?? "null") as Record<string, unknown> }));
}
