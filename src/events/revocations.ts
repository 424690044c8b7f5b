import * as z from "zod";
import type { RecordReader } from "../broker/reading.ts";
import type { Database } from "../database/client.ts";
import { type Caller, unauthenticated, type VerifyBearer } from "../http/bearer.ts";
import type { Health } from "../http/health.ts";
import type { Sharing } from "../http/held-token.ts";
import { describe, type Log } from "../http/log.ts";
import { Problem } from "../http/problem.ts";
import { within } from "../http/within.ts";
import { consumer, type Run } from "./consumer.ts";
import { revocationView } from "./revocations-view.ts";
import { revocationStore, revoke } from "./revocations-store.ts";

export type RevocationNeeds = Sharing & {
  db: Database;
  reader: RecordReader;
  log: Log;
  /** In whose log it tells. */
  service: string;
};

export type Revocations = {
  /** `verify`, but a token from before a lock of its user, or during one, is refused; of the callers that `concerns` names. */
  guarding: (verify: VerifyBearer, concerns?: (caller: Caller) => boolean) => VerifyBearer;
  check: () => Promise<Health>;
};

const LOCK = z.object({ identityId: z.string().min(1), revision: z.int32().nonnegative() });

/** Not `user.login-locked`: that lock shuts out who guesses, and whoever is in stays in, or anybody could end anybody's session. */
const LOCKS = { name: "revocations", topics: ["platform.users"], types: { "user.locked": LOCK, "user.unlocked": LOCK }, effect: revoke };

/** The view is no older at a request: with the relay's pauses before it, a lock is known everywhere within ten seconds. */
const FRESH_MS = 5000;
/** Before it refuses, it is no older than this: whoever was unlocked is let in again soon. */
const SURE_MS = 1000;
/** What a request waits for a fresh view at most, and the part of it that is for the broker. */
const REFRESH_MS = 1000;
const READING_MS = 700;
const CHECK_MS = 500;
const PRUNE_EVERY_MS = 600_000;

/**
 * Whose tokens are refused. A view of it in memory is refreshed at a request, so that it works where there are no timers: what
 * the broker has is brought into the table, and what has changed there into the view. While that fails the view stays in use
 * as it is, since a token ends by itself in minutes and the identity provider gives a locked user no other; health says so.
 * Before there is any view, nobody is let in.
 */
export function revocations({ db, reader, now, sharesPending, log, service }: RevocationNeeds): Revocations {
  const locks = consumer({ ...LOCKS, db, reader, now, log, service });
  const store = revocationStore(db);
  const view = revocationView(store);
  /** When the view was last begun to be refreshed, and when it last had all that the broker had. */
  let triedAt = -Infinity;
  let freshAt = -Infinity;
  let prunedAt = now();
  let pending: Promise<void> | undefined;
  let isFailing = false;

  /** What the broker is like. */
  async function refresh(): Promise<Run["state"]> {
    const began = now();
    triedAt = began;
    // Another process may have brought into the table what this one cannot.
    const run = await locks.run(READING_MS).catch((error: unknown) => ({ error }));
    await view.read(began);
    if ("state" in run && run.state === "at-end") freshAt = began;
    if (prunedAt <= began - PRUNE_EVERY_MS) {
      prunedAt = began;
      await store.prune(began);
    }
    if ("error" in run) throw run.error;
    return run.state;
  }

  async function refreshed(): Promise<void> {
    try {
      isFailing = (await within(REFRESH_MS, refresh())) === "away";
    } catch (error) {
      if (!isFailing) log({ level: "warn", service, message: "Cannot refresh the view of revoked tokens", error: describe(error) });
      isFailing = true;
    }
  }

  async function keepFresh(age: number, { isPatient = false } = {}): Promise<void> {
    if (view.isRead() && !pending && triedAt > now() - age) return;
    if (!sharesPending) return refreshed();
    pending ??= refreshed().finally(() => {
      pending = undefined;
    });
    // One request has waited in vain: the others do not, until it works again.
    if (isPatient || !isFailing || !view.isRead()) await pending;
  }

  return {
    guarding: (verify, concerns = () => true) => async (token) => {
      const caller = await verify(token);
      if (!concerns(caller)) return caller;
      await keepFresh(FRESH_MS);
      if (!view.isRead()) throw new Problem("UPSTREAM_UNAVAILABLE_503", "Whose tokens are revoked is not known yet", { retryAfter: 1 });
      if (view.isRevoked(caller, now())) await keepFresh(SURE_MS);
      if (view.isRevoked(caller, now())) throw unauthenticated("Sign in again: the account was locked since", new Error("The token is from before a lock"));
      return caller;
    },

    async check() {
      // Not all of the time that a check has: it is to say that the view is old.
      await within(CHECK_MS, keepFresh(FRESH_MS, { isPatient: true })).catch(() => {});
      const health = await locks.check();
      if (freshAt === -Infinity) return { ...health, status: health.status === "UP" ? "UNKNOWN" : health.status };
      const details = { ...health.details, freshAt: new Date(freshAt).toISOString() };
      if (health.status !== "UP" || freshAt > now() - 2 * FRESH_MS) return { ...health, details };
      // Nobody may have asked for long, and what was begun now may take longer than a check.
      return { status: isFailing ? "DOWN" : "UNKNOWN", details };
    },
  };
}
