import type { Operate } from "../operate.ts";
import * as routes from "./routes.ts";
import { deletePolicy, type PolicyNeeds, writePolicy } from "./service-policies.ts";

export function policyOperations(operate: Operate, needs: PolicyNeeds): void {
  operate(routes.listPolicies, {
    about: () => "policies",
    run: async (c) => c.json(await needs.secrets.listPolicies(c.get("call")), 200),
  });

  operate(routes.createPolicy, {
    about: (c) => `policy/${c.req.valid("query").service}-policy`,
    run: async (c) => {
      await writePolicy(needs, c.get("call"), c.req.valid("query").service);
      return c.json({ responseCode: "VAULT_POLICY_CREATED_200" as const, responseMessage: "Policy written" }, 200);
    },
  });

  operate(routes.deletePolicy, {
    about: (c) => `policy/${c.req.valid("query").service}-policy`,
    run: async (c) => {
      await deletePolicy(needs, c.get("call"), c.req.valid("query").service);
      return c.json({ responseCode: "VAULT_POLICY_DELETED_200" as const, responseMessage: "Policy deleted" }, 200);
    },
  });
}
