import type { Operate } from "../operate.ts";
import { createClient, type CreationNeeds } from "./creation.ts";
import * as routes from "./routes.ts";

export function clientOperations(operate: Operate, needs: CreationNeeds): void {
  operate(routes.createInterServiceClient, {
    about: (c) => `client/${c.req.valid("query").clientName}`,
    run: async (c) => c.json(await createClient(needs, c.get("call"), c.req.valid("query").clientName), 200),
  });
}
