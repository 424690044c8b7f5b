import { path } from "../../http/path.ts";
import type { Ask } from "../client.ts";
import { type Finding, notChecked } from "../finding.ts";
import { found, SYSTEM } from "./found.ts";

/** A user who may sign in, as the database has it; `identityId` is the identity's own id (`sub`). */
export type RegisteredUser = { userId: string; identityId: string };

type Place = {
  ask: Ask;
  realm: string;
  /** Of the user service, which looks after identities. */
  token: string | undefined;
};

/** Whether the newest users have their identities: one that the provider does not know has been lost, most likely with a restore of its database. */
export async function usersFinding(read: () => Promise<RegisteredUser[]>, { ask, realm, token }: Place): Promise<Finding> {
  if (token === undefined) return notChecked(SYSTEM, "users", "The user service's client has no token to look with");
  const users = await read().catch(() => undefined);
  if (users === undefined) return notChecked(SYSTEM, "users", "The database does not tell who has registered");
  const lost: string[] = [];
  for (const { userId, identityId } of users) {
    const outcome = await ask({ method: "GET", path: path`/admin/realms/${realm}/users/${identityId}`, headers: { authorization: `Bearer ${token}` } });
    if (outcome.kind === "answer" && outcome.status === 404) lost.push(userId);
    else if (outcome.kind !== "answer" || outcome.status !== 200) return notChecked(SYSTEM, "users", "The user service's client may not see them");
  }
  if (lost.length === 0) return found("users", { count: users.length });
  return found("users-lost", { lost: lost.length, count: users.length, users: lost.join(", ") });
}
