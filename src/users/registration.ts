import type { Call } from "../http/call.ts";
import { Problem, problemIn } from "../http/problem.ts";
import { rejection } from "../identity/rejection.ts";
import { align, type AlignmentNeeds, newLease } from "./alignment.ts";
import type { Aligned, Lease } from "./alignment-store.ts";
import type { NewUser, RegistrationStore } from "./registration-store.ts";

export type RegistrationNeeds = AlignmentNeeds & { registrations: RegistrationStore };

export type Registration = NewUser & { password: string };

/** For how long an identity of an abandoned registration may still arrive. */
export const LATE_MS = 15 * 60_000;
/** For how long an unfinished registration waits for its idempotency key to come back. */
export const RESUME_MS = 10 * 60_000;

/**
 * Registers a user in two systems, all or nothing: S1 the row PENDING, S2 the identity, disabled, S3 the row ACTIVE
 * with its event, S4 the identity enabled. What a crash leaves between the steps, `sweep` finishes or undoes.
 */
export async function register(needs: RegistrationNeeds, call: Call, asked: Registration): Promise<{ userId: string }> {
  return run(needs, call, asked).catch((error: unknown) => {
    throw isFinal(error) ? error : unavailable(error);
  });
}

async function run(needs: RegistrationNeeds, call: Call, asked: Registration): Promise<{ userId: string }> {
  const lease = newLease(needs);
  const begun = await begin(needs, asked, lease);
  if ("isDone" in begun) return { userId: begun.userId };
  const { holder } = lease;
  const row = begun.status === "PENDING" ? await enter(needs, call, { asked, userId: begun.userId, holder }) : begun;
  await align(needs, call, { row, holder });
  return { userId: row.userId };
}

async function begin(needs: RegistrationNeeds, asked: Registration, lease: Lease): Promise<Aligned | { isDone: true; userId: string }> {
  const { registrations, now } = needs;
  if (await registrations.begin(asked, { lease, now: now() })) {
    return { userId: asked.userId, identityId: null, status: "PENDING", revision: 0, lockedAt: null };
  }
  const { idempotencyKey, fingerprint } = asked;
  const known = idempotencyKey === undefined ? undefined : await registrations.repeat(idempotencyKey, { fingerprint, lease, now: now() });
  switch (known?.outcome) {
    case "resumed":
      return known;
    case "registered":
      return { isDone: true, userId: known.userId };
    case "in-progress":
      throw new Problem("REGISTRATION_IN_PROGRESS_409", "The same registration is still being worked on", { retryAfter: 5 });
    case "other-request":
      throw new Problem("IDEMPOTENCY_KEY_REUSED_422", "This idempotency key came with another registration before");
    case undefined:
      throw alreadyExists();
  }
}

/** S2 and S3. */
async function enter(
  needs: RegistrationNeeds,
  call: Call,
  { asked, userId, holder }: { asked: Registration; userId: string; holder: string },
): Promise<Aligned> {
  const { registrations, alignment, now } = needs;
  const identityId = await createIdentity(needs, call, { ...asked, userId }).catch(async (error: unknown) => {
    if (isFinal(error) || asked.idempotencyKey === undefined) await registrations.abandon(userId, { holder, now: now(), until: now() + LATE_MS });
    else await alignment.release(userId, { holder, due: now() + RESUME_MS });
    throw error;
  });
  return activate(needs, call, { userId, identityId, holder });
}

/** S2: the id of the identity, disabled; made once, however often the answer is lost. */
async function createIdentity({ identity }: RegistrationNeeds, call: Call, user: Registration): Promise<string> {
  const { userId, password, firstName, lastName, emailKey } = user;
  const asked = { username: userId, password, firstName, lastName, email: emailKey, enabled: false };
  let creation = await identity.createUser(call, asked);
  if (creation.outcome === "lost") {
    const found = await identity.findUser(call, userId);
    if (found) return found.id;
    creation = await identity.createUser(call, asked);
  }
  switch (creation.outcome) {
    case "created":
      return creation.id;
    case "exists": {
      const ours = await identity.findUser(call, userId);
      if (!ours) throw alreadyExists();
      // An earlier try with this idempotency key made it, perhaps with another password: the one just sent holds.
      await identity.setPassword(call, ours.id, password);
      return ours.id;
    }
    case "rejected":
      throw rejection(creation.field);
    case "lost":
      throw creation.problem;
  }
}

/** S3; also for what a crash left. */
export async function activate(
  { registrations, now }: RegistrationNeeds,
  call: Call,
  { userId, identityId, holder }: { userId: string; identityId: string; holder: string },
): Promise<Aligned> {
  const attempt = () => registrations.activate(userId, { identityId, holder, now: now(), traceparent: call.traceparent });
  // A commit whose answer was lost is read back by the same statement.
  const row = await attempt().catch(attempt);
  if (row) return row;
  // The sweeper won: the row is gone, and the identity goes with the abandoned registration.
  throw unavailable(new Error("The registration was taken over"));
}

/** Whether `error` is the caller's affair, or a defect: neither gets better by waiting. */
function isFinal(error: unknown): boolean {
  const problem = problemIn(error);
  return problem === undefined || problem.status < 500;
}

function alreadyExists(): Problem {
  return new Problem("USER_ALREADY_EXISTS_409", "The e-mail or the contact number is already registered");
}

function unavailable(cause: unknown): Problem {
  return new Problem("UPSTREAM_UNAVAILABLE_503", "The registration could not be finished now", { retryAfter: 5, cause });
}
