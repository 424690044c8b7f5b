import * as z from "zod";
import type { CloudEvent } from "./envelope.ts";

/** The topics the platform publishes to; `partitions` is what one is created with where it is missing. */
export const TOPICS = {
  "platform.users": { title: "Users", description: "What happened to a user. In order for each user.", partitions: 3 },
  "platform.audit": {
    title: "Audit",
    description: "Who did what: each call of the administration interface, in order for each caller, and each sign-in, in order for each user.",
    partitions: 3,
  },
} as const;

export type TopicName = keyof typeof TOPICS;

export type EventDescription = {
  topic: TopicName;
  title: string;
  description: string;
  data: z.ZodObject;
  example: Record<string, unknown>;
};

const USER_ID = "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6";
const IDENTITY_ID = "0b6f5a0e-3f0c-4f0e-9a6b-6f3f7f0f9c11";
const REQUEST_ID = "9f3c1b7a5d2e4f60";

const userId = z.string().describe("The user's id");
const identityId = z.string().describe("The `sub` of the user's tokens");
const revision = z.int32().nonnegative().describe("Of the locks and unlocks of one user the highest is the last, in whatever order they arrive");
const requestId = z.string().describe("The call's `x-request-id`");

/** Every event there is. Nothing in one is a password, an answer, a token or a secret. */
export const catalogue = {
  "user.registered": {
    topic: "platform.users",
    title: "A user has registered",
    description: "The first event of every user: their identity exists and their row is active.",
    data: z.object({
      userId,
      emailId: z.string().describe("The e-mail address as the user wrote it"),
      firstName: z.string(),
      lastName: z.string(),
    }),
    example: { userId: USER_ID, emailId: "asha.rao@example.com", firstName: "Asha", lastName: "Rao" },
  },
  "user.updated": {
    topic: "platform.users",
    title: "A user's profile has changed",
    description: "Says which part changed, not to what.",
    data: z.object({
      userId,
      address: z.boolean().describe("Whether an address was set"),
      contact: z.boolean().describe("Whether a contact number was set"),
      status: z.enum(["ACTIVE", "DORMANT"]).optional().describe("What the user became for want of sign-ins, or by one"),
    }),
    example: { userId: USER_ID, address: true, contact: false },
  },
  "user.locked": {
    topic: "platform.users",
    title: "A user was locked",
    description: "By an administrator, or by themself: without an end. Tokens from before are dead, also after unlocking.",
    data: z.object({ userId, identityId, revision, by: z.string().describe("The `sub` of who locked"), requestId }),
    example: { userId: USER_ID, identityId: IDENTITY_ID, revision: 2, by: IDENTITY_ID, requestId: REQUEST_ID },
  },
  "user.unlocked": {
    topic: "platform.users",
    title: "A user was unlocked",
    description: "By an administrator.",
    data: z.object({ userId, identityId, revision, by: z.string().describe("The `sub` of who unlocked"), requestId }),
    example: { userId: USER_ID, identityId: IDENTITY_ID, revision: 3, by: "5d1c9f7e-8a43-4f55-b8a0-0f2f4c1f7d21", requestId: REQUEST_ID },
  },
  "user.login-failed": {
    topic: "platform.users",
    title: "A sign-in has failed",
    description: "With wrong credentials, for a user there is.",
    data: z.object({ userId, loginFailedAttempts: z.int().describe("Failures since the last success, this one among them"), requestId }),
    example: { userId: USER_ID, loginFailedAttempts: 2, requestId: REQUEST_ID },
  },
  "user.login-locked": {
    topic: "platform.users",
    title: "Sign-in is locked for a while",
    description: "After too many failures. Ends by itself; tokens stay good.",
    data: z.object({ userId, lockedUntil: z.iso.datetime(), requestId }),
    example: { userId: USER_ID, lockedUntil: "2026-11-16T09:31:00.000Z", requestId: REQUEST_ID },
  },
  "user.security-details-updated": {
    topic: "platform.users",
    title: "A user's security questions have changed",
    description: "Says neither questions nor answers.",
    data: z.object({ userId }),
    example: { userId: USER_ID },
  },
  "user.registration-completed": {
    topic: "platform.users",
    title: "A user has completed every step of registration",
    description: "Address and security questions are there; once for each user.",
    data: z.object({ userId }),
    example: { userId: USER_ID },
  },
  "user.signed-in": {
    topic: "platform.audit",
    title: "A user has signed in",
    description: "With their credentials; a refreshed token is none.",
    data: z.object({ userId, identityId, requestId }),
    example: { userId: USER_ID, identityId: IDENTITY_ID, requestId: REQUEST_ID },
  },
  "admin.called": {
    topic: "platform.audit",
    title: "The administration interface was called",
    description: "By a caller with a valid token, whether or not they were let through.",
    data: z.object({
      caller: z.string().describe("The caller's `sub`"),
      client: z.string().describe("The client the caller's token was issued to"),
      operation: z.string().describe("The route's `operationId`"),
      resource: z.string().nullable().describe("Such as `approle/orders`; null when the call was refused before that was known"),
      requestId,
      outcome: z.enum(["succeeded", "refused", "failed", "unknown"]).describe("`unknown`: the process ended before the call did"),
      code: z.string().nullable().describe("The problem's code"),
    }),
    example: {
      caller: "5d1c9f7e-8a43-4f55-b8a0-0f2f4c1f7d21",
      client: "auth-service",
      operation: "createAppRole",
      resource: "approle/orders",
      requestId: REQUEST_ID,
      outcome: "succeeded",
      code: null,
    },
  },
} as const satisfies Record<string, EventDescription>;

export type EventType = keyof typeof catalogue;

export type EventData<Type extends EventType> = z.infer<(typeof catalogue)[Type]["data"]>;

/** An event whose type and data are in the catalogue; told apart by `type`. */
export type KnownEvent = { [Type in EventType]: CloudEvent<Type, EventData<Type>> }[EventType];

/** `event` with its data in the shape of its type; undefined for a type that is not known here, or data that is not its. */
export function knownEvent(event: CloudEvent): KnownEvent | undefined {
  if (!Object.hasOwn(catalogue, event.type)) return undefined;
  const data = catalogue[event.type as EventType].data.safeParse(event.data);
  return data.success ? ({ ...event, data: data.data } as KnownEvent) : undefined;
}
