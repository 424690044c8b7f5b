import type { Database } from "../database/client.ts";
import { isUniqueViolation } from "../database/violation.ts";
import { serveAsyncApi } from "../events/asyncapi-app.ts";
import type { Caller } from "../http/bearer.ts";
import { beginCall } from "../http/call.ts";
import { Problem } from "../http/problem.ts";
import { shell, type ShellNeeds } from "../http/shell.ts";
import { slots } from "../http/slots.ts";
import type { IdentityProvider } from "../identity/keycloak.ts";
import { alignmentStore } from "./alignment-store.ts";
import { attemptStore } from "./attempt-store.ts";
import { reserveAttempt, settleAttempt } from "./attempts.ts";
import { userCounts } from "./counts.ts";
import type { Dormancy } from "./dormant.ts";
import { emailKey } from "./email.ts";
import { changeUser, ownProfile, profile, profileOf, setSecurityDetails } from "./profile.ts";
import { profileStore, type Viewer } from "./profile-store.ts";
import { register } from "./registration.ts";
import { registrationStore } from "./registration-store.ts";
import * as routes from "./routes.ts";
import { sweep } from "./sweep.ts";
import { newUserId } from "./user-id.ts";

export type UsersNeeds = Pick<ShellNeeds, "now" | "log" | "verify" | "health" | "timeout" | "documentationScript" | "metrics" | "metricsAccess" | "sharesPending"> & {
  db: Database;
  identity: IdentityProvider;
  keyedHash: (text: string) => Promise<string>;
  digest: (text: string) => Promise<string>;
  newId: () => string;
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Marks who has not signed in for long; nobody is, without it. */
  dormancy?: Dormancy;
};

const NAME = "user-service";
const DESCRIPTION =
  "Registers users and keeps their profiles, security details and failed sign-ins. Registration takes three steps: the user, the address, the security questions. " +
  "To try the operations that need a token, sign in at the authentication service first.";
const TAGS = {
  Users: "Registration and profiles.",
  "Security details": "The questions by which a user is known again.",
  Internal: "For other services, with a token that has `ROLE_INTERNAL_SERVICE`; not reached through the gateway.",
};
/** Users whose answers are hashed at once: a second or more of CPU for each. */
const MAX_HASHING = 4;

/** The user service, and `sweep`, which is to run every few seconds. */
export function users(needs: UsersNeeds) {
  const { db, now } = needs;
  const stores = { alignment: alignmentStore(db), registrations: registrationStore(db), profiles: profileStore(db), attempts: attemptStore(db) };
  const { app, on, metrics } = shell({
    ...needs,
    name: NAME,
    title: "User service",
    description: DESCRIPTION,
    tags: TAGS,
  });
  serveAsyncApi(app, { title: "User service", source: `/${NAME}` });
  const { countLock, registrations } = userCounts(metrics, stores.alignment);
  const rules = { ...needs, ...stores, countLock, hashing: slots({ max: MAX_HASHING, now }) };

  on(routes.register, async (c) => {
    const { emailId, ...asked } = c.req.valid("json");
    const { "idempotency-key": idempotencyKey } = c.req.valid("header");
    const key = emailKey(emailId) ?? "";
    const { firstName, lastName, primaryContactNumber } = asked;
    const registering = register(rules, c.get("call"), {
      ...asked,
      userId: newUserId(now(), needs.randomBytes(10)),
      emailId,
      emailKey: key,
      idempotencyKey: idempotencyKey && (await needs.digest(`${idempotencyKey}\n${key}`)),
      fingerprint: await needs.digest([firstName, lastName, key, primaryContactNumber].join("\n")),
    });
    const { userId } = await registrations.around(registering);
    c.header("location", `/api/users/${userId}`);
    c.header("cache-control", "no-store");
    return c.json({ userId, responseMessage: "User registered", responseCode: "USER_CREATED_201" as const }, 201);
  });

  on(routes.getMe, async (c) => c.json(profileOf(await ownProfile(rules, viewerOf(c.get("caller")))), 200));

  on(routes.getUser, async (c) => {
    const { userId } = c.req.valid("param");
    return c.json(profileOf(await profile(rules, userId, viewerOf(c.get("caller")))), 200);
  });

  on(routes.updateUser, async (c) => {
    const { userId } = c.req.valid("param");
    const { isLockUser, updateContactDto, updateAddressDto } = c.req.valid("json");
    const contact = updateContactDto && { contactNumber: updateContactDto.contactNumber, isPrimary: updateContactDto.isPrimary ?? false };
    const change = { lock: isLockUser ?? undefined, contact: contact ?? undefined, address: updateAddressDto ?? undefined };
    await changeUser(rules, c.get("call"), { ...change, userId, viewer: viewerOf(c.get("caller")) }).catch(refuseTaken);
    return c.json({ userId, responseMessage: "User updated", responseCode: "USER_UPDATED_200" as const }, 200);
  });

  on(routes.getSecurityDetails, async (c) => {
    const { userId } = c.req.valid("param");
    const { questions } = await profile(rules, userId, viewerOf(c.get("caller")));
    if (!questions) throw new Problem("SECURITY_DETAILS_NOT_FOUND_404", "The user has no security questions yet");
    return c.json({ userId, securityQuestions: questions.map((question) => ({ question })) }, 200);
  });

  on(routes.updateSecurityDetails, async (c) => {
    const { userId } = c.req.valid("param");
    await setSecurityDetails(rules, c.get("call"), { userId, viewer: viewerOf(c.get("caller")), details: c.req.valid("json") });
    return c.json({ userId, response: "Security questions set", responseCode: "SECURITY_DETAILS_UPDATED_200" as const }, 200);
  });

  on(routes.updateLoginFailure, async (c) => {
    const { userId } = c.req.valid("param");
    const { loginFailed: isFailed, attemptId } = c.req.valid("query");
    const { failures, isLocked } = await settleAttempt(rules, c.get("call"), { userId, isFailed, attemptId });
    const lock = isLocked ? { disableUser: "true" as const } : {};
    const response = isFailed ? "Failed sign-in counted" : "Sign-in recorded";
    return c.json({ userId, responseCode: "SUCCESS" as const, response, loginFailedAttempts: failures, ...lock }, 200);
  });

  on(routes.reserveLoginAttempt, async (c) => {
    const name = c.req.valid("json").username.trim().normalize("NFKC").toLowerCase();
    return c.json(await reserveAttempt(rules, { name, emailKey: emailKey(name) }), 201);
  });

  on(routes.releaseLoginAttempt, async (c) => {
    const { userId, attemptId } = c.req.valid("param");
    await stores.attempts.release(userId, attemptId);
    return c.body(null, 204);
  });

  return {
    app,
    async sweep(): Promise<void> {
      await sweep(rules, beginCall(new Headers(), { now: now(), limit: needs.timeout }));
      await needs.dormancy?.sweep();
    },
  };
}

function viewerOf({ sub, issuedAt, roles }: Caller): Viewer {
  return { sub, issuedAt, isAdmin: roles.includes("ROLE_ADMIN") };
}

function refuseTaken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new Problem("USER_ALREADY_EXISTS_409", "The contact number is already registered", { cause: error });
}
