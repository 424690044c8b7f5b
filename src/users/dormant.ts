import * as z from "zod";
import type { Consumer } from "../events/consumer.ts";
import type { Handled } from "../events/consumer-deliveries.ts";
import type { DormantStore } from "./dormant-store.ts";

/** The consumer of sign-ins. */
export const SIGN_INS = {
  name: "users.sign-ins",
  topics: ["platform.audit"],
  types: { "user.signed-in": z.object({}) } satisfies Handled,
};

export type Dormancy = { sweep: () => Promise<void> };

type DormancyNeeds = {
  consumer: Pick<Consumer, "run">;
  store: DormantStore;
  /** Milliseconds without a sign-in. */
  period: number;
  now: () => number;
};

const BATCH = 500;

/**
 * Marks who has not signed in for a time. It is a mark and no lock: the identity stays as it is, and signing in takes the mark
 * away. Whoever wants such accounts shut locks them when the event says so.
 */
export function dormancy({ consumer, store, period, now }: DormancyNeeds): Dormancy {
  return {
    async sweep() {
      await consumer.run();
      await store.markDormant({ consumer: SIGN_INS.name, period, now: now(), limit: BATCH });
    },
  };
}
