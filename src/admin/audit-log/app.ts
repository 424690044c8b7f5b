import type { Database } from "../../database/client.ts";
import type { Operate } from "../operate.ts";
import { pageOf } from "../schema.ts";
import { chainStore } from "./chain-store.ts";
import * as routes from "./routes.ts";
import { listEntries } from "./store.ts";
import { verify } from "./verify.ts";

export function auditLogOperations(operate: Operate, { db, now }: { db: Database; now: () => number }): void {
  const chain = chainStore(db);

  operate(routes.listAuditEntries, {
    about: () => "audit",
    run: async (c) => {
      const { cursor: before, limit, ...filter } = c.req.valid("query");
      const { page: entries, next } = pageOf(await listEntries(db, { ...filter, before, limit: limit + 1 }), { limit, placeOf: ({ sequence }) => sequence });
      return c.json({ entries, next }, 200);
    },
  });

  operate(routes.verifyAuditLog, {
    about: () => "audit",
    run: async (c) => {
      const { next, ...verdict } = await verify({ chain, now }, { after: c.req.valid("query").after, deadline: c.get("call").deadline });
      return c.json({ ...verdict, next: next && `${next.sequence}:${next.hash}` }, 200);
    },
  });
}
