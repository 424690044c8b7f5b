import { Problem } from "../../http/problem.ts";
import type { IdentityAdministration } from "../../identity/administration.ts";
import type { Operate } from "../operate.ts";
import * as routes from "./routes.ts";

export function roleOperations(operate: Operate, { identity }: { identity: IdentityAdministration }): void {
  operate(routes.listRealmRoles, {
    about: () => "roles",
    run: async (c) => c.json(await identity.listRoles(c.get("call")), 200),
  });

  operate(routes.getRealmRole, {
    about: (c) => `role/${c.req.valid("query").roleName}`,
    run: async (c) => {
      const { roleName } = c.req.valid("query");
      const role = await identity.findRole(c.get("call"), roleName);
      if (!role) throw new Problem("IDP_ROLE_NOT_FOUND_404", `There is no role "${roleName}"`);
      return c.json(role, 200);
    },
  });

  operate(routes.createRealmRole, {
    about: (c) => `role/${c.req.valid("json").name}`,
    run: async (c) => {
      const role = c.req.valid("json");
      if ((await identity.createRole(c.get("call"), role)) === "exists") {
        throw new Problem("IDP_ROLE_ALREADY_EXISTS_409", `There is a role "${role.name}" already`);
      }
      return c.json({ responseCode: "IDP_ROLE_CREATED_200" as const, responseMessage: "Role created" }, 200);
    },
  });
}
