import type * as z from "zod";
import { unauthenticated } from "../http/bearer.ts";
import type { Call } from "../http/call.ts";
import { Problem } from "../http/problem.ts";
import type { Slots } from "../http/slots.ts";
import { hashAnswer } from "../passwords/answer.ts";
import { alignNow, type AlignmentNeeds } from "./alignment.ts";
import type { CountLock } from "./lock.ts";
import type { Change, ProfileRow, ProfileStore, Viewer } from "./profile-store.ts";
import type { Profile, UpdateSecurityDetails } from "./schema.ts";
import type { SecurityQuestion } from "./tables.ts";

export type ProfileNeeds = AlignmentNeeds & {
  profiles: ProfileStore;
  countLock: CountLock;
  /** For hashing the answers of one user. */
  hashing: Slots;
};

/** Throws `USER_NOT_FOUND_404`, or `FORBIDDEN_403` for a caller who may not even learn that. */
export async function profile({ profiles }: ProfileNeeds, userId: string, viewer: Viewer): Promise<ProfileRow> {
  return open((await profiles.find(userId, viewer)) ?? noSuchUser(userId, viewer));
}

/** The caller's own row: tokens carry the identity's id, not the user's. */
export async function ownProfile({ profiles }: ProfileNeeds, viewer: Viewer): Promise<ProfileRow> {
  const row = await profiles.findOwn(viewer);
  if (row) return open(row);
  throw new Problem("USER_NOT_FOUND_404", "The caller is not a registered user");
}

/** A token outlives the lock of its user by minutes; its use does not. */
function open(row: ProfileRow): ProfileRow {
  if (row.bar === "locked") throw locked();
  if (row.bar === "stale") throw stale();
  return row;
}

export async function changeUser(needs: ProfileNeeds, call: Call, asked: Partial<Change> & { userId: string; viewer: Viewer }): Promise<void> {
  const { profiles, countLock, now } = needs;
  const { userId, viewer } = asked;
  const none = { lock: undefined, contact: undefined, address: undefined, securityQuestions: undefined };
  const changed = await profiles.change(userId, { ...none, ...asked, now: now(), traceparent: call.traceparent, requestId: call.requestId });
  switch (changed?.outcome) {
    case undefined:
      return noSuchUser(userId, viewer);
    case "locked":
      throw locked();
    case "stale":
      throw stale();
    case "contact-limit":
      throw new Problem("CONTACT_LIMIT_REACHED_409", "The user has ten contact numbers already");
    case "changed":
      if (changed.isNewLock) countLock("request");
      // Whoever locks is told so only once the identity provider has followed.
      if (asked.lock !== undefined) await alignNow(needs, call, { userId, revision: changed.revision });
  }
}

export async function setSecurityDetails(
  needs: ProfileNeeds,
  call: Call,
  { userId, viewer, details }: { userId: string; viewer: Viewer; details: z.infer<typeof UpdateSecurityDetails> },
): Promise<void> {
  // Hashing is dear: only for somebody who may have it done, and little at once.
  await profile(needs, userId, viewer);
  const giveBack = needs.hashing.take(call.deadline);
  if (!giveBack) throw new Problem("UPSTREAM_UNAVAILABLE_503", "Too many answers are being worked on", { retryAfter: 1 });
  const securityQuestions = await hashed(details.securityQuestions).finally(giveBack);
  await changeUser(needs, call, { userId, viewer, securityQuestions });
}

/** One after another: the answers of one user take one core at most. */
async function hashed(asked: z.infer<typeof UpdateSecurityDetails>["securityQuestions"]): Promise<SecurityQuestion[]> {
  const questions: SecurityQuestion[] = [];
  for (const { question, answer } of asked) questions.push({ question, answerHash: await hashAnswer(answer) });
  return questions;
}

/** The row as its user and an administrator see it: no answer, no failure counter. */
export function profileOf(row: ProfileRow): z.infer<typeof Profile> {
  const { otherContactNumbers, addresses, questions, bar: _, ...fields } = row;
  const hasAddress = Object.keys(addresses).length > 0;
  const contacts = [
    { contactNumber: row.primaryContactNumber, type: "PRIMARY" as const },
    ...otherContactNumbers.map((contactNumber, index) => ({ contactNumber, type: index === 0 ? ("SECONDARY" as const) : ("OTHERS" as const) })),
  ];
  return {
    ...fields,
    isLockUser: row.status === "BLOCKED",
    contacts: contacts.map((contact) => ({ ...contact, isVerified: false })),
    addresses: Object.values(addresses),
    registration: registrationOf(hasAddress, questions !== null),
  };
}

function registrationOf(hasAddress: boolean, hasQuestions: boolean): z.infer<typeof Profile>["registration"] {
  if (!hasAddress) return { status: "REGISTRATION_IN_PROGRESS", lastStepCompleted: "BASIC_DETAILS_ADDED", nextStep: "ADDRESS_ADDED" };
  if (!hasQuestions) return { status: "REGISTRATION_IN_PROGRESS", lastStepCompleted: "ADDRESS_ADDED", nextStep: "SECURITY_CREDENTIALS_ADDED" };
  return { status: "REGISTRATION_COMPLETE", lastStepCompleted: "SECURITY_CREDENTIALS_ADDED", nextStep: null };
}

function locked(): Problem {
  return new Problem("ACCOUNT_LOCKED_403", "The account is locked");
}

function stale(): Problem {
  return unauthenticated("Sign in again: the account was locked since", new Error("The token is from before the lock"));
}

function noSuchUser(userId: string, { isAdmin }: Viewer): never {
  if (isAdmin) throw new Problem("USER_NOT_FOUND_404", `There is no user "${userId}"`);
  throw new Problem("FORBIDDEN_403", "Only the user and an administrator may do this");
}
