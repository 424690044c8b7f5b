import * as z from "zod";
import { path } from "../../http/path.ts";
import { DEFAULT_ROLE } from "../../identity/platform-realm.ts";
import { batches } from "../batches.ts";
import type { MovedUser } from "../schema.ts";
import { isSame } from "./covers.ts";
import { type IdentityNeeds, inRealm, partialImport } from "./identity.ts";
import { newCall } from "./needs.ts";

/** The time of a partial import grows faster than the number of users in it. */
const BATCH = 50;
const AT_ONCE = 8;

const text = z.string().optional();
const ThereSchema = z.object({
  id: z.string(),
  username: z.string(),
  email: text,
  emailVerified: z.boolean(),
  firstName: text,
  lastName: text,
  enabled: z.boolean(),
  requiredActions: z.array(z.string()),
});

const PolicySchema = z.object({ passwordPolicy: z.string().optional() });
const HashSchema = z.object({ algorithm: z.string(), hashIterations: z.number() });

/** With id, hash of the password and roles: rows and tokens name people by the id. Whoever is there is compared, but for the password, which nobody can read. */
export async function importUsers(needs: IdentityNeeds, users: AsyncIterable<MovedUser>): Promise<void> {
  const hashes = new Set<string>();
  for await (const batch of batches(users, { count: BATCH })) {
    await importBatch(needs, batch.map((user) => ({ ...user, realmRoles: inRealm(user.realmRoles, needs.rest.realm) })));
    for (const { credentials } of batch) for (const { credentialData } of credentials) hashes.add(credentialData);
  }
  await checkPolicy(needs, hashes);
}

/** Keycloak hashes a password anew, as its realm says, when its owner signs in; until then it costs what it costs. */
async function checkPolicy(needs: IdentityNeeds, hashes: ReadonlySet<string>): Promise<void> {
  const { passwordPolicy = "" } = await needs.rest.read(newCall(needs), { path: "" }, PolicySchema);
  for (const hash of hashes) {
    const { algorithm, hashIterations } = HashSchema.parse(JSON.parse(hash));
    const [wanted, rounds] = [`hashAlgorithm(${algorithm})`, `hashIterations(${hashIterations})`];
    if (passwordPolicy.includes(wanted) && passwordPolicy.includes(rounds)) continue;
    needs.tally.note(
      `The realm "${needs.rest.realm}" hashes passwords otherwise than "${wanted} and ${rounds}", so each is hashed anew when its owner first signs in. Until then a refusal ` +
        "takes another time for them than for who has no account, and TOKEN_TIMEOUT_MS has to leave it. With that as the realm's password policy it is one time for all.",
    );
  }
}

async function importBatch(needs: IdentityNeeds, users: MovedUser[]): Promise<void> {
  if (needs.isDryRun) return compareAll(needs, users);
  const results = await partialImport(needs, { ifResourceExists: "SKIP", users });
  if (results) {
    const skipped = new Set(results.filter(({ action }) => action === "SKIPPED").map(({ resourceName }) => resourceName));
    needs.tally.count("users", "made", users.length - skipped.size);
    return compareAll(needs, users.filter(({ username }) => skipped.has(username)));
  }
  // One that is refused takes all with it, so each goes by itself.
  const [only, ...others] = users;
  if (!only) return;
  if (others.length === 0) return needs.tally.tell("users", "failed", `"${only.username}" was refused: the e-mail is somebody else's, or the id, perhaps in another realm`);
  const half = Math.ceil(users.length / 2);
  await importBatch(needs, users.slice(0, half));
  await importBatch(needs, users.slice(half));
}

async function compareAll(needs: IdentityNeeds, users: MovedUser[]): Promise<void> {
  for (const waiting = [...users]; waiting.length > 0; ) await Promise.all(waiting.splice(0, AT_ONCE).map((user) => compare(needs, user)));
}

async function compare(needs: IdentityNeeds, user: MovedUser): Promise<void> {
  const { tally, isDryRun, overwrites } = needs;
  const there = await needs.rest.find(newCall(needs), { path: path`/users/${user.id}` }, ThereSchema);
  if (there && isSame(there, profileOf(user)) && (await hasRoles(needs, user))) return tally.count("users", "same");
  if (!there && isDryRun && !(await isNameTaken(needs, user))) return tally.count("users", "made");
  if (!overwrites) return tally.tell("users", "different", `"${user.username}" is there ${there ? "with another profile or other roles" : "with another id"}`);
  const isDone = isDryRun || (await partialImport(needs, { ifResourceExists: "OVERWRITE", users: [user] })) !== undefined;
  if (isDone) tally.count("users", "changed");
  else tally.tell("users", "failed", `"${user.username}" could not be replaced`);
}

/** Most have none but the one that everybody has, and are many: of them nothing is asked. */
async function hasRoles(needs: IdentityNeeds, { id, realmRoles, clientRoles }: MovedUser): Promise<boolean> {
  const isSpecial = Object.keys(clientRoles).length > 0 || realmRoles.some((role) => !role.startsWith(DEFAULT_ROLE));
  return !isSpecial || isSame(await needs.rest.rolesOf(newCall(needs), id), { realm: realmRoles, client: clientRoles });
}

function profileOf(user: MovedUser): Partial<MovedUser> {
  const { credentials: _, realmRoles: __, clientRoles: ___, createdTimestamp: ____, ...profile } = user;
  return profile;
}

async function isNameTaken(needs: IdentityNeeds, { username }: MovedUser): Promise<boolean> {
  const found = await needs.rest.read(newCall(needs), { path: "/users", query: { username, exact: "true" } }, z.array(ThereSchema));
  return found.length > 0;
}
