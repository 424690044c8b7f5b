import type { Operate } from "../operate.ts";
import * as routes from "./routes.ts";
import { createSecrets, deleteSecrets, readSecrets, type SecretsNeeds, updateSecrets } from "./service-secrets.ts";

export function secretOperations(operate: Operate, needs: SecretsNeeds): void {
  operate(routes.createSecrets, {
    about: (c) => `secrets/${c.req.valid("json").service}`,
    run: async (c) => {
      await createSecrets(needs, c.get("call"), c.req.valid("json"));
      return c.json({ responseCode: "VAULT_SECRET_CREATED_200" as const, responseMessage: "Secrets written" }, 200);
    },
  });

  operate(routes.updateSecrets, {
    about: (c) => `secrets/${c.req.valid("json").service}`,
    run: async (c) => {
      await updateSecrets(needs, c.get("call"), c.req.valid("json"));
      return c.json({ responseCode: "VAULT_SECRET_UPDATED_200" as const, responseMessage: "Secrets changed" }, 200);
    },
  });

  operate(routes.getSecrets, {
    about: (c) => `secrets/${c.req.valid("query").service}`,
    run: async (c) => c.json(await readSecrets(needs, c.get("call"), c.req.valid("query").service), 200),
  });

  operate(routes.deleteSecrets, {
    about: (c) => `secrets/${c.req.valid("query").service}`,
    run: async (c) => {
      await deleteSecrets(needs, c.get("call"), c.req.valid("query").service);
      return c.json({ responseCode: "VAULT_SECRET_DELETED_200" as const, responseMessage: "Secrets deleted" }, 200);
    },
  });
}
