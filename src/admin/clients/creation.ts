import type { Call } from "../../http/call.ts";
import { describe, type Log } from "../../http/log.ts";
import { Problem, problemIn } from "../../http/problem.ts";
import type { IdentityAdministration } from "../../identity/administration.ts";
import type { Creation, CreationStore, LeftOver } from "./creation-store.ts";

export type CreationNeeds = {
  creations: CreationStore;
  identity: IdentityAdministration;
  log: Log;
  now: () => number;
  newId: () => string;
};

export type NewCredentials = { clientId: string; clientSecret: string };

const ROLE = "INTERNAL_SERVICE";
/** Longer than any request lasts: before, its process may still be at work. */
const LEASE_MS = 15_000;
/** For how long a client of an abandoned creation may still arrive. */
const LATE_MS = 15 * 60_000;
const CHECK_MS = 30_000;
const BATCH = 20;

/**
 * Creates a client in two systems, all or nothing: C1 a row PENDING, which keeps the name; C2 the client, marked with the
 * row's id; C3 the role of its service account; C4 its secret read; C5 the row FINISHED, from where on the client stays,
 * whether or not its secret reaches the caller. A step that fails abandons the row and removes the client. A process that dies leaves the row PENDING: after its
 * lease, `sweepCreations` abandons it. Such a client is removed and never finished, since nobody was told its secret; only
 * one with the row's mark is, and the search goes on for a while, because the identity provider may be late.
 */
export async function createClient(needs: CreationNeeds, call: Call, name: string): Promise<NewCredentials> {
  const { creations, newId, now } = needs;
  const creation = { creation: newId(), name };
  if (!(await creations.begin(creation, { due: now() + LEASE_MS }))) throw alreadyExists(name);
  try {
    const credentials = await provide(needs, call, creation).catch(failCreation);
    await finish(needs, creation);
    return credentials;
  } catch (error) {
    const isMade = problemIn(error)?.code !== "IDP_CLIENT_ALREADY_EXISTS_409";
    await (isMade ? undo(needs, call, creation) : logged(needs, call, () => creations.forget(creation.creation)));
    throw error;
  }
}

/** C2 to C4. */
async function provide({ identity }: CreationNeeds, call: Call, { creation, name }: Creation): Promise<NewCredentials> {
  const made = await identity.createClient(call, { clientId: name, creation });
  if (made.outcome === "exists") throw alreadyExists(name);
  await identity.giveServiceRole(call, { id: made.id, role: ROLE });
  return { clientId: name, clientSecret: await identity.clientSecret(call, made.id) };
}

/** C5. */
async function finish({ creations, now }: CreationNeeds, { creation }: Creation): Promise<void> {
  const attempt = () => creations.finish(creation, { forgetAt: now() + LATE_MS });
  // A commit whose answer was lost is read back by the same statement.
  if (await attempt().catch(attempt)) return;
  const cause = new Error("The creation was taken for abandoned");
  throw new Problem("UPSTREAM_UNAVAILABLE_503", "The client could not be created in time", { retryAfter: 5, cause });
}

/** What cannot be undone now, because a system is away, the sweep undoes. */
async function undo(needs: CreationNeeds, call: Call, creation: Creation): Promise<void> {
  const { creations, now } = needs;
  await logged(needs, call, () => creations.abandon(creation.creation, { due: now() + CHECK_MS, until: now() + LATE_MS }));
  await logged(needs, call, () => removeClient(needs, call, creation));
}

/** Removes what processes that died, and steps that could not be undone, have left at the identity provider. */
export async function sweepCreations(needs: CreationNeeds, call: Call): Promise<void> {
  const { creations, now } = needs;
  const due = { now: now(), next: now() + CHECK_MS, until: now() + LATE_MS, limit: BATCH };
  for (const left of await creations.claimDue(due)) await logged(needs, call, () => removeLeftOver(needs, call, left));
  await creations.forgetFinished(now());
}

async function removeLeftOver(needs: CreationNeeds, call: Call, left: LeftOver): Promise<void> {
  await removeClient(needs, call, left);
  if (left.isOver) await needs.creations.forget(left.creation);
}

async function removeClient({ identity }: CreationNeeds, call: Call, { creation, name }: Creation): Promise<void> {
  const found = await identity.findClient(call, name);
  if (found?.creation === creation) await identity.deleteClient(call, found.id);
}

async function logged({ log }: CreationNeeds, call: Call, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log({ level: "warn", service: "admin-service", message: "Cannot undo a client yet", requestId: call.requestId, error: describe(error) });
  }
}

/** An identity provider that is away or late stays just that; any other answer than the one hoped for is a failed creation. */
function failCreation(error: unknown): never {
  if (problemIn(error)?.code !== "UPSTREAM_BAD_ANSWER_502") throw error;
  throw new Problem("IDP_CLIENT_CREATION_FAILED_502", "The identity provider did not create the client", { cause: error });
}

function alreadyExists(name: string): Problem {
  return new Problem("IDP_CLIENT_ALREADY_EXISTS_409", `There is a client "${name}" already`);
}
