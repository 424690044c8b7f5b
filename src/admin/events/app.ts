import type { Database } from "../../database/client.ts";
import { discard, listSetAside, replay, type SetAside } from "../../events/outbox-store.ts";
import { Problem } from "../../http/problem.ts";
import type { Operate } from "../operate.ts";
import { pageOf } from "../schema.ts";
import * as routes from "./routes.ts";

export function eventOperations(operate: Operate, { db }: { db: Database }): void {
  operate(routes.listSetAsideEvents, {
    about: () => "events",
    run: async (c) => {
      const { cursor: after = 0, limit } = c.req.valid("query");
      const { page, next } = pageOf(await listSetAside(db, { after, limit: limit + 1 }), { limit, placeOf: ({ position }) => position });
      return c.json({ events: page.map(shown), next }, 200);
    },
  });

  operate(routes.replaySetAsideEvent, {
    about: (c) => `event/${c.req.valid("param").id}`,
    run: async (c) => {
      const { id } = c.req.valid("param");
      if (!(await replay(db, id))) throw noSuchEvent(id);
      return c.json({ responseCode: "EVENT_REPLAYED_200" as const, responseMessage: "Event will be sent again" }, 200);
    },
  });

  operate(routes.discardSetAsideEvent, {
    about: (c) => `event/${c.req.valid("param").id}`,
    run: async (c) => {
      const { id } = c.req.valid("param");
      if (!(await discard(db, id))) throw noSuchEvent(id);
      return c.json({ responseCode: "EVENT_DISCARDED_200" as const, responseMessage: "Event discarded" }, 200);
    },
  });
}

function shown(row: SetAside) {
  const { position: _, lastError: reason, ...event } = row;
  return { ...event, reason };
}

function noSuchEvent(id: string): Problem {
  return new Problem("EVENT_NOT_FOUND_404", `No event "${id}" is set aside`);
}
