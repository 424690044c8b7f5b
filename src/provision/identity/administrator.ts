import * as z from "zod";
import type { RealmRest } from "../../administration/realm.ts";
import type { Call } from "../../http/call.ts";
import { path } from "../../http/path.ts";
import { jsonOf } from "../../http/upstream.ts";
import { ADMIN, administratorProfile, defaultRole } from "../../identity/platform-realm.ts";
import { type Kept, PENDING, type Plan, plan } from "../plan.ts";

const UsersSchema = z.array(z.object({ id: z.string().min(1), username: z.string() }));

/** Where a generated password waits until it was shown: a crash before that loses nothing. */
export const UNSHOWN_PASSWORD = `${PENDING}ADMIN_PASSWORD`;

type On = {
  rest: RealmRest;
  kept: Kept;
  isNew: boolean;
  username: string;
  /** Whether the operator gave the name. */
  isNamed: boolean;
  /** The password that the operator gave. */
  given: string | undefined;
  newPassword: () => string;
};

/** Makes the first administrator where nobody has the role; who is there already is never given it. */
export async function planAdministrator(call: Call, { rest, kept, isNew, username, isNamed, given, newPassword }: On): Promise<Plan> {
  if (!isNew) {
    const holders = await rest.find(call, { path: path`/roles/${ADMIN}/users`, query: { max: "1" } }, UsersSchema);
    const namesakes = await rest.find(call, { path: "/users", query: { username, exact: "true" } }, UsersSchema);
    if (holders && holders.length > 0) {
      const isHeld = !isNamed || (await holds(call, namesakes?.[0], rest));
      return plan(isHeld ? {} : { notes: [`ADMIN_USERNAME "${username}" is not used: somebody has the role ${ADMIN} already`] });
    }
    if (namesakes && namesakes.length > 0) {
      return plan({ differences: [`The user "${username}" is there without the role ${ADMIN}, and nobody has it: give it to whom you trust, or name another in ADMIN_USERNAME`] });
    }
  }
  const shown = given === undefined ? ", with a password that is shown once" : "";
  return plan({
    steps: [
      {
        change: `Make the first administrator "${username}"${shown}`,
        async apply(call) {
          const value = given ?? kept.get(UNSHOWN_PASSWORD) ?? newPassword();
          if (given === undefined) kept.keep({ [UNSHOWN_PASSWORD]: value });
          const user = { ...administratorProfile(username), credentials: [{ type: "password", value, temporary: false }], realmRoles: [ADMIN, defaultRole(rest.realm)] };
          // The one call that makes a user together with a role: no crash leaves a user that is nobody's.
          const answer = await rest.send(call, { method: "POST", path: "/partialImport", json: { ifResourceExists: "SKIP", users: [user] } });
          const { added } = jsonOf(answer.text) as { added?: unknown };
          if (given === undefined && added !== 1) kept.keep({ [UNSHOWN_PASSWORD]: "" });
        },
      },
    ],
  });
}

async function holds(call: Call, user: { id: string } | undefined, rest: RealmRest): Promise<boolean> {
  return user !== undefined && (await rest.rolesOf(call, user.id)).realm.includes(ADMIN);
}
