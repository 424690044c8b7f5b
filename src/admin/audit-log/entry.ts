import * as z from "zod";
import type { Handled } from "../../events/consumer-deliveries.ts";

/** Who did what on which resource: names and ids, never a value. */
export type Entry = {
  /** The event's. */
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  at: string;
  /** The `sub` of who did it; null where nobody was known: a refused sign-in, the lock after too many. */
  actor: string | null;
  /** The client that the caller's token was issued to. */
  client: string | null;
  /** An operation of the administration interface, or a type of event such as `user.signed-in`. */
  action: string;
  /** Such as `approle/orders`, `user/USR…`. */
  resource: string | null;
  outcome: Outcome;
  /** The problem's. */
  code: string | null;
  requestId: string | null;
};

/** Where an entry stands in the chain. */
export type Link = { sequence: number; hash: string };

export type ChainedEntry = Entry & Link & { previous: string };

export const OUTCOMES = ["succeeded", "refused", "failed", "unknown"] as const;

type Outcome = (typeof OUTCOMES)[number];

/** What the first entry is chained to. */
export const START: Link = { sequence: 0, hash: "0".repeat(64) };

/** What of an entry its event does not say by itself. */
type Content = Omit<Entry, "id" | "at">;

const text = z.string().max(255).nullish();

const called = z
  .object({
    caller: z.string().max(255),
    client: text,
    operation: z.string().max(255),
    // The names of a hundred topics are one resource.
    resource: z.string().max(32_768).nullish(),
    outcome: z.enum(OUTCOMES),
    code: text,
    requestId: text,
  })
  .transform(({ caller, operation, client, resource, outcome, code, requestId }) =>
    content({ actor: caller, client, action: operation, resource, outcome, code, requestId }),
  );

function ofUser(action: string, outcome: Outcome = "succeeded") {
  return z
    .object({ userId: z.string().max(255), by: text, identityId: text, requestId: text })
    .transform(({ userId, by, identityId, requestId }) => {
      const actor = action === "user.signed-in" ? identityId : by;
      return content({ actor, client: null, action, resource: `user/${userId}`, outcome, code: null, requestId });
    });
}

function content(given: { [Name in keyof Content]: Content[Name] | undefined }): Content {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? null])) as Content;
}

/** The consumer of what is audited; the data of its events are entries. */
export const AUDIT_TRAIL = {
  name: "audit",
  topics: ["platform.audit", "platform.users"],
  types: {
    "admin.called": called,
    "user.signed-in": ofUser("user.signed-in"),
    "user.login-failed": ofUser("user.login-failed", "refused"),
    "user.login-locked": ofUser("user.login-locked"),
    "user.locked": ofUser("user.locked"),
    "user.unlocked": ofUser("user.unlocked"),
  } satisfies Handled,
};
