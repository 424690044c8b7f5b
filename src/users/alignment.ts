import type { Call } from "../http/call.ts";
import { pause } from "../http/pause.ts";
import { Problem } from "../http/problem.ts";
import type { IdentityProvider } from "../identity/keycloak.ts";
import type { Aligned, AlignmentStore, Lease } from "./alignment-store.ts";

/*
 * A user stands in two systems. The row leads, and the identity follows:
 *
 * row                                     identity                moved on by
 * PENDING, leased                         none yet, or disabled   register; once the lease has run out, sweep
 * ACTIVE, registered_at null              disabled                the same, by align
 * ACTIVE or BLOCKED, sync_due set         may be behind           who changed it, by align; else sweep
 * ACTIVE, sync_due null                   enabled                 -
 * BLOCKED, sync_due null                  disabled, no sessions   -
 * gone, with an entry in abandoned        may still arrive        sweep, which removes it
 *
 * Only the holder of a row's lease speaks to the identity provider for it.
 */

export type AlignmentNeeds = {
  alignment: AlignmentStore;
  identity: IdentityProvider;
  now: () => number;
  /** Uniform in [0, 1). */
  random: () => number;
  newId: () => string;
};

/** Longer than any request lasts: while a lease runs, its holder may still have an exchange under way. */
const LEASE_MS = 15_000;
const RETRY_MS = 5000;
/** By then, a change that the identity provider answered too late has arrived. */
const DOUBT_MS = 60_000;

export function newLease({ newId, now }: Pick<AlignmentNeeds, "newId" | "now">): Lease {
  return { holder: newId(), until: now() + LEASE_MS };
}

/** Brings the identity in line with the row that `holder` has: enabled while ACTIVE, else disabled and without sessions. */
export async function align(needs: AlignmentNeeds, call: Call, { row, holder }: { row: Aligned; holder: string }): Promise<void> {
  const { alignment, now } = needs;
  try {
    await follow(needs, call, row);
    const settle = () => alignment.settle(row, { holder, now: now(), again: now() + DOUBT_MS });
    // Only the holder's first has an effect, so an answer that was lost is asked for again.
    await settle().catch(settle);
  } catch (error) {
    await alignment.release(row.userId, { holder, due: now() + RETRY_MS });
    throw error;
  }
}

/** Waits until the identity follows `userId` at least as of `revision`: by our own hand, or by another holder's. */
export async function alignNow(needs: AlignmentNeeds, call: Call, { userId, revision }: { userId: string; revision: number }): Promise<void> {
  const { alignment, now, random } = needs;
  for (;;) {
    const lease = newLease(needs);
    const row = await alignment.claimOne(userId, { lease, now: now() });
    if (row) await align(needs, call, { row, holder: lease.holder });
    if (await alignment.isAligned(userId, revision)) return;
    if (now() + 200 > call.deadline) {
      throw new Problem("UPSTREAM_TIMEOUT_504", "The change is recorded; the identity provider follows shortly", { retryAfter: 5 });
    }
    await pause(25 + 75 * random());
  }
}

async function follow({ identity, now }: AlignmentNeeds, call: Call, { userId, identityId, status, lockedAt }: Aligned): Promise<void> {
  const isEnabled = status === "ACTIVE" || status === "DORMANT";
  // Tokens tell the second they were issued in: none of the second of the lock is to be from after it.
  if (isEnabled && lockedAt !== null) await pause(Math.max(0, lockedAt - (lockedAt % 1000) + 1000 - now()));
  // Disabling alone would let old tokens live again after unlocking; ending sessions alone leaves the door open. Who was
  // signing in meanwhile may have got a session after both, so that what is enabled again has none either.
  const isThere =
    identityId !== null &&
    (!isEnabled || lockedAt === null || (await identity.endSessions(call, identityId))) &&
    (await identity.setEnabled(call, identityId, isEnabled)) &&
    (isEnabled || (await identity.endSessions(call, identityId)));
  if (!isThere) throw new Problem("UPSTREAM_BAD_ANSWER_502", `The identity of "${userId}" is missing at the identity provider`);
}
