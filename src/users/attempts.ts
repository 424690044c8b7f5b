import type { Call } from "../http/call.ts";
import { Problem } from "../http/problem.ts";
import type { AttemptStore } from "./attempt-store.ts";
import type { CountLock } from "./lock.ts";

export type AttemptNeeds = {
  attempts: AttemptStore;
  countLock: CountLock;
  now: () => number;
  newId: () => string;
  /** A keyed hash (HMAC-SHA-256, hex) under a key of the installation. */
  keyedHash: (text: string) => Promise<string>;
};

export type Reserved = {
  attemptId: string;
  /** Whom the attempt counts for: a user id, or the keyed hash of a name no user has. */
  userId: string;
  /** The name to ask the identity provider for. */
  username: string;
};

/** Longer than the deadline of the sign-in it waits for: a reservation that nobody settles is released, not counted. */
const LEASE_MS = 12_000;

/**
 * Reserves one guess before the identity provider is asked, so that parallel guesses cannot overtake the counter.
 * Known and unknown names follow the same curve. Throws `ACCOUNT_LOCKED_403`.
 */
export async function reserveAttempt(needs: AttemptNeeds, { name, emailKey }: { name: string; emailKey: string | undefined }): Promise<Reserved> {
  const { attempts, now, newId, keyedHash } = needs;
  const attemptId = newId();
  // By its key, so that the spellings of an unknown e-mail share one curve like those of a known one.
  const stranger = `N${await keyedHash(emailKey ?? name)}`;
  const at = now();
  const reservation = await attempts.reserve({ userId: name.toUpperCase(), emailKey, stranger, attemptId, now: at, until: at + LEASE_MS });
  const { userId, isKnown, isBlocked, isReserved, lockedUntil } = reservation;
  if (isBlocked) throw new Problem("ACCOUNT_LOCKED_403", "The account is locked");
  if (!isReserved) {
    const retryAfter = Math.max(1, Math.ceil(((lockedUntil ?? 0) - at) / 1000));
    throw new Problem("ACCOUNT_LOCKED_403", "The account is locked for a while after failed sign-ins", { retryAfter });
  }
  // The identity provider takes an e-mail for a user name too, which would give its owner a second curve: for a name
  // with an @ that no user of ours has, somebody who does not exist is asked for, at the same cost.
  return { attemptId, userId, username: isKnown ? userId : name.includes("@") ? stranger : name };
}

/** Counts a failure, once per attempt id; without one, always. Success ends the curve; throws `ACCOUNT_LOCKED_403` where a lock came before it. */
export async function settleAttempt(
  needs: Pick<AttemptNeeds, "attempts" | "countLock" | "now">,
  call: Call,
  { userId, isFailed, attemptId }: { userId: string; isFailed: boolean; attemptId: string | undefined },
): Promise<{ failures: number; isLocked: boolean }> {
  const { attempts, countLock, now } = needs;
  const on = { attemptId, now: now(), traceparent: call.traceparent, requestId: call.requestId };
  if (!isFailed) {
    const success = await attempts.succeed(userId, { ...on, lease: LEASE_MS });
    if (!success) throw noSuchUser(userId);
    if (success.isBarred) throw new Problem("ACCOUNT_LOCKED_403", "The account is locked");
    return { failures: 0, isLocked: false };
  }
  const state = await attempts.fail(userId, on);
  if (!state) throw noSuchUser(userId);
  if (state.isNewLock) countLock("attempts");
  return state;
}

function noSuchUser(userId: string): Problem {
  return new Problem("USER_NOT_FOUND_404", `There is no user "${userId}"`);
}
