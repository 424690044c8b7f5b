import { defaultRole } from "../../platform-realm.ts";
import type { Realm } from "../realm.ts";
import { conflict, notFound, oauthError, Refusal, unforeseen } from "../refusal.ts";
import type { UserInput } from "./schema.ts";
import { findTaken, getUser, insertUser, updateUser, type UserChanges } from "./store.ts";
import type { User } from "./user.ts";
import { checkProfile, readOnly } from "./validation.ts";

/** Adds a user; answers its id. */
export async function createUser(realm: Realm, input: UserInput): Promise<string> {
  if (!input.username) throw new Refusal(400, { errorMessage: "User name is missing" });
  const profile = {
    username: input.username.toLowerCase(),
    email: input.email?.toLowerCase() || null,
    firstName: input.firstName || null,
    lastName: input.lastName || null,
  };
  checkProfile(profile);
  const [credential] = credentialsOf(input);
  const user: User = {
    ...profile,
    id: crypto.randomUUID(),
    emailVerified: input.emailVerified ?? false,
    enabled: input.enabled ?? false,
    createdTimestamp: realm.now(),
    requiredActions: withPasswordAction(knownActions(input.requiredActions ?? []), credential),
    password: credential?.value ? await realm.hash(credential.value) : null,
    serviceAccountClient: null,
  };
  if (!(await insertUser(realm.db, user, defaultRole(realm.name)))) throw await takenBy(realm, user);
  return user.id;
}

export async function requireUser(realm: Realm, id: string): Promise<User> {
  const user = isUuid(id) ? await getUser(realm.db, id) : undefined;
  if (!user) throw notFound("User not found");
  return user;
}

/** Only what is given is changed; but `attributes` without the profile's fields takes these away, as at Keycloak. */
export async function changeUser(realm: Realm, id: string, input: UserInput): Promise<void> {
  const user = await requireUser(realm, id);
  if (input.username && input.username.toLowerCase() !== user.username) throw readOnly("username");
  if (input.username === "") throw new Refusal(400, { errorMessage: "User name is missing" });
  const [credential] = credentialsOf(input);
  const absent = input.attributes ? null : undefined;
  const actions = input.requiredActions ? knownActions(input.requiredActions) : undefined;
  const changes: UserChanges = {
    email: text(input.email?.toLowerCase(), absent),
    firstName: text(input.firstName, absent),
    lastName: text(input.lastName, absent),
    emailVerified: input.emailVerified ?? undefined,
    enabled: input.enabled ?? undefined,
    requiredActions: credential ? withPasswordAction(actions ?? user.requiredActions, credential) : actions,
    password: credential?.value ? await realm.hash(credential.value) : undefined,
  };
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as UserChanges;
  const changed = { ...user, ...given };
  if (!user.serviceAccountClient) checkProfile(changed);
  if (Object.keys(given).length === 0) return;
  const outcome = await updateUser(realm.db, id, given);
  if (outcome === "taken") throw conflict("User exists with same email");
  if (outcome === "absent") throw notFound("User not found");
}

type Credential = { value?: string | null; temporary?: boolean | null };

const ACTIONS = new Set(["CONFIGURE_RECOVERY_AUTHN_CODES", "CONFIGURE_TOTP", "UPDATE_EMAIL", "UPDATE_PASSWORD", "UPDATE_PROFILE", "VERIFY_EMAIL", "VERIFY_PROFILE"]);

/** Sets a password; the sessions opened with the old one stay. */
export async function resetPassword(realm: Realm, id: string, credential: Credential): Promise<void> {
  const user = await requireUser(realm, id);
  if (credential.value === undefined || credential.value === null) throw new Refusal(400, { error: "No password provided" });
  if (credential.value.trim() === "") throw new Refusal(400, { error: "Empty password not allowed" });
  const password = await realm.hash(credential.value);
  const requiredActions = withPasswordAction(user.requiredActions, credential);
  if ((await updateUser(realm.db, id, { password, requiredActions })) === "absent") throw notFound("User not found");
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

async function takenBy(realm: Realm, user: User): Promise<Refusal> {
  const taken = await findTaken(realm.db, user);
  if (taken.email) return conflict("User exists with same email");
  if (taken.username) return conflict("User exists with same username");
  return oauthError(503, "temporarily_unavailable", "The user that was in the way is gone; try again");
}

function credentialsOf({ credentials }: UserInput): Credential[] {
  if (credentials?.some(({ value }) => typeof value !== "string")) throw unforeseen();
  return credentials ?? [];
}

/** A temporary password has to be changed at the next login; one that is not leaves the actions as they are. */
function withPasswordAction(actions: string[], credential: Credential | undefined): string[] {
  return credential?.temporary ? [...new Set([...actions, "UPDATE_PASSWORD"])] : actions;
}

/** Keycloak drops the actions it does not have. */
function knownActions(actions: string[]): string[] {
  return actions.filter((action) => ACTIONS.has(action));
}

/** The value to store: an empty text takes it away, an absent one is `absent`. */
function text(value: string | null | undefined, absent: null | undefined): string | null | undefined {
  return value === null || value === undefined ? absent : value || null;
}
