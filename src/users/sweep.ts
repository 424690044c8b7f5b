import type { Call } from "../http/call.ts";
import { describe, type Log } from "../http/log.ts";
import { align, newLease } from "./alignment.ts";
import type { Task } from "./alignment-store.ts";
import type { AttemptStore } from "./attempt-store.ts";
import { activate, LATE_MS, type RegistrationNeeds, RESUME_MS } from "./registration.ts";

export type SweepNeeds = RegistrationNeeds & { attempts: AttemptStore; log: Log };

const BATCH = 20;
const CHECK_MS = 30_000;

/** Finishes or undoes what a crash or a fault left between the two systems, and clears what has run out. */
export async function sweep(needs: SweepNeeds, call: Call): Promise<void> {
  const { alignment, registrations, attempts, now } = needs;
  const lease = newLease(needs);
  for (const task of await alignment.claimDue({ lease, now: now(), limit: BATCH })) {
    await logged(needs, call, () => finish(needs, call, { task, holder: lease.holder }));
  }
  for (const left of await registrations.abandonedDue({ now: now(), next: now() + CHECK_MS, limit: BATCH })) {
    await logged(needs, call, () => removeIdentity(needs, call, left));
  }
  await attempts.sweep(now());
}

async function finish(needs: SweepNeeds, call: Call, { task, holder }: { task: Task; holder: string }): Promise<void> {
  if (task.status !== "PENDING") return align(needs, call, { row: task, holder });
  const { alignment, registrations, identity, now } = needs;
  const { userId, isResumable, createdAt } = task;
  const found = await identity.findUser(call, userId).catch(async (error: unknown) => {
    await alignment.release(userId, { holder, due: now() });
    throw error;
  });
  if (found) {
    const row = await activate(needs, call, { userId, identityId: found.id, holder });
    return align(needs, call, { row, holder });
  }
  if (isResumable && now() < createdAt + RESUME_MS) return alignment.release(userId, { holder, due: createdAt + RESUME_MS });
  return registrations.abandon(userId, { holder, now: now(), until: now() + LATE_MS });
}

async function removeIdentity({ registrations, identity }: SweepNeeds, call: Call, { userId, isOver }: { userId: string; isOver: boolean }) {
  const late = await identity.findUser(call, userId);
  if (late) await identity.deleteUser(call, late.id);
  if (isOver) await registrations.forget(userId);
}

/** One row that cannot be finished now does not keep the others waiting: it stays due. */
async function logged({ log }: SweepNeeds, call: Call, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log({ level: "warn", service: "user-service", message: "Cannot finish a change yet", requestId: call.requestId, error: describe(error) });
  }
}
