import * as z from "zod";
import { path } from "../../http/path.ts";
import { type Exchange, jsonOf } from "../../http/upstream.ts";
import { ADMIN, PLATFORM_ROLES } from "../../identity/platform-realm.ts";
import type { Ask } from "../client.ts";
import { type Finding, type Findings, notChecked } from "../finding.ts";
import { isOlder, LEAST } from "../versions.ts";
import type { OwnClient } from "./client.ts";
import { ClientsSchema, doorFindings, guessingFinding } from "./clients.ts";
import { found, SYSTEM } from "./found.ts";
import { ActionsSchema, realmFindings, RealmSchema, signInFindings } from "./realm.ts";

type Administered = {
  ask: Ask;
  url: string;
  realm: string;
  clients: readonly OwnClient[];
  /** Of the administration service, which may read all of this. */
  token: string | undefined;
};

const ServerSchema = z.object({ systemInfo: z.object({ version: z.string() }) });
const RolesSchema = z.array(z.object({ name: z.string() }));
const PeopleSchema = z.array(z.unknown());

const NEEDED = PLATFORM_ROLES.map(({ name }) => name);

/** What the Admin REST shows; only GETs. */
export async function* administered({ ask, url, realm, clients, token }: Administered): Findings {
  if (token === undefined) return "The administration service's client has no token to look with";
  const headers = { authorization: `Bearer ${token}` };
  const base = path`/admin/realms/${realm}`;
  const read = async <T>(at: string, schema: z.ZodType<T>, query?: Exchange["query"]): Promise<T | undefined> => {
    const outcome = await ask({ method: "GET", path: at, headers, ...(query && { query }) });
    return outcome.kind === "answer" && outcome.status === 200 ? schema.safeParse(jsonOf(outcome.text)).data : undefined;
  };
  const unseen = (...checks: string[]) => checks.map((check) => notChecked(SYSTEM, check, "The administration service's client may not see it"));

  const version = (await read("/admin/serverinfo", ServerSchema))?.systemInfo.version;
  yield* version === undefined ? unseen("version") : [found(isOlder(version, LEAST.keycloak) ? "version-old" : "version", { version })];
  const [settings, actions] = await Promise.all([read(base, RealmSchema), read(`${base}/authentication/required-actions`, ActionsSchema)]);
  yield* settings ? realmFindings(settings, url) : unseen("brute force", "refresh tokens", "ssl", "passwords");
  yield* settings && actions ? signInFindings(settings, actions) : unseen("sign-in");
  const roles = await read(`${base}/roles`, RolesSchema);
  yield* roles ? [rolesFinding(roles.map(({ name }) => name))] : unseen("roles");
  const people = await read(`${base}/roles/${ADMIN}/users`, PeopleSchema, { max: "1" });
  yield* people ? [found(people.length > 0 ? "administrator" : "administrator-none")] : unseen("administrator");
  const all = await read(`${base}/clients`, ClientsSchema, { max: "1000" });
  yield* all ? [guessingFinding(all)] : unseen("guessing");
  for (const client of clients) {
    const registered = all?.find(({ clientId }) => clientId === client.id);
    yield* registered ? doorFindings(client, registered) : unseen("doors");
  }
  return undefined;
}

function rolesFinding(names: readonly string[]): Finding {
  // What is given to new clients is INTERNAL_SERVICE itself; of the other, either spelling opens /api/admin.
  const missing = NEEDED.filter((role) => !names.includes(role) && !(role === ADMIN && names.includes("ROLE_ADMIN")));
  return missing.length === 0 ? found("roles") : found("roles-missing", { roles: missing.join(", ") });
}
