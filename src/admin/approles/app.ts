import type { Operate } from "../operate.ts";
import { type AppRoleNeeds, createAppRole, deleteAppRole, issueCredentials, noSuchAppRole } from "./credentials.ts";
import * as routes from "./routes.ts";

export function approleOperations(operate: Operate, needs: AppRoleNeeds): void {
  const { secrets } = needs;

  operate(routes.listAppRoles, {
    about: () => "approles",
    run: async (c) => c.json(await secrets.listAppRoles(c.get("call")), 200),
  });

  operate(routes.issueSecretId, {
    about: (c) => `approle/${c.req.valid("query").appRole}`,
    isChange: true,
    run: async (c) => c.json(await issueCredentials(needs, c.get("call"), c.req.valid("query").appRole), 200),
  });

  operate(routes.getAppRole, {
    about: (c) => `approle/${c.req.valid("param").role}`,
    run: async (c) => {
      const { role } = c.req.valid("param");
      const found = await secrets.readAppRole(c.get("call"), role);
      if (!found) throw noSuchAppRole(role);
      const { leaseDuration, ...details } = found;
      return c.json({ ...details, leastDuration: leaseDuration }, 200);
    },
  });

  operate(routes.createAppRole, {
    about: (c) => `approle/${c.req.valid("json").roleName}`,
    run: async (c) => c.json(await createAppRole(needs, c.get("call"), c.req.valid("json")), 200),
  });

  operate(routes.deleteAppRole, {
    about: (c) => `approle/${c.req.valid("query").role}`,
    run: async (c) => {
      await deleteAppRole(needs, c.get("call"), c.req.valid("query").role);
      return c.json({ responseCode: "VAULT_APPROLE_DELETED_200" as const, responseMessage: "AppRole deleted" }, 200);
    },
  });
}
