import { z } from "@hono/zod-openapi";
import { oneLine } from "../../http/line.ts";
import { Cursor, limit, Next } from "../schema.ts";
import { OUTCOMES } from "./entry.ts";
import { REASONS } from "./verify.ts";

const LAST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z");

const named = (max: number) => oneLine.min(1, "Must not be empty").max(max, `Use at most ${max} characters`).optional();

/** Milliseconds since the epoch, of what a database has for a time. */
const instant = z.iso
  .datetime({ offset: true, error: "Use a time such as 2026-11-16T09:30:00Z" })
  .transform((text) => Math.min(Math.max(0, Date.parse(text)), LAST_INSTANT))
  .optional();

export const Listing = z.object({
  actor: named(255).openapi({ description: "The `sub` of who did it", example: "5d1c9f7e-8a43-4f55-b8a0-0f2f4c1f7d21" }),
  action: named(255).openapi({ description: "An `operationId` of this interface, or `user.signed-in`, `user.login-failed`, `user.login-locked`, `user.locked`, `user.unlocked`", example: "createAppRole" }),
  resource: named(2048).openapi({ description: "As entries have it, whole", example: "approle/order-service" }),
  outcome: z.enum(OUTCOMES, { error: `Use one of ${OUTCOMES.join(", ")}` }).optional().openapi({ example: "succeeded" }),
  from: instant.openapi({ type: "string", format: "date-time", description: "The earliest time", example: "2026-11-16T00:00:00Z" }),
  to: instant.openapi({ type: "string", format: "date-time", description: "The first time that is too late", example: "2026-11-17T00:00:00Z" }),
  limit: limit(200, 50),
  cursor: Cursor,
});

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const sequence = z.int().openapi({ description: "From 1, without a gap", example: 1 });

export const exampleEntry = {
  sequence: 1,
  id: "9d6e6f0a-55d4-4c1f-8f43-6a1f0b7c2d10",
  at: "2026-11-16T09:30:00.000Z",
  actor: "5d1c9f7e-8a43-4f55-b8a0-0f2f4c1f7d21",
  client: "auth-service",
  action: "createAppRole",
  resource: "approle/order-service",
  outcome: "succeeded" as const,
  code: null,
  requestId: "9f3c1b7a5d2e4f60",
  previous: "0000000000000000000000000000000000000000000000000000000000000000",
  hash: "624861bf6ba999c5771c2fbbe35782ebc4e9e824473788b4aa3891f06629c010",
};

const AuditEntry = z
  .object({
    sequence,
    id: z.string().openapi({ description: "The event's", example: exampleEntry.id }),
    at: z.iso.datetime().openapi({ example: exampleEntry.at }),
    actor: z.string().nullable().openapi({ description: "The `sub` of who did it; null where nobody was known, as in a refused sign-in", example: exampleEntry.actor }),
    client: z.string().nullable().openapi({ description: "The client that the caller's token was issued to", example: exampleEntry.client }),
    action: z.string().openapi({ example: exampleEntry.action }),
    resource: z.string().nullable().openapi({ example: exampleEntry.resource }),
    outcome: z.enum(OUTCOMES).openapi({ description: "`unknown`: the process ended before the call did", example: exampleEntry.outcome }),
    code: z.string().nullable().openapi({ description: "The problem's code", example: "VAULT_APPROLE_ALREADY_EXISTS_409" }),
    requestId: z.string().nullable().openapi({ description: "The call's `x-request-id`", example: exampleEntry.requestId }),
    previous: Hash.openapi({ description: "The hash of the entry before; zeros in the first", example: exampleEntry.previous }),
    hash: Hash.openapi({
      description: "SHA-256 of `JSON.stringify([sequence, previous, id, at, actor, client, action, resource, outcome, code, requestId])` in UTF-8",
      example: exampleEntry.hash,
    }),
  })
  .openapi("AuditEntry");

export const AuditEntries = z.object({ entries: z.array(AuditEntry), next: Next }).openapi("AuditEntries");

const LINK = /^(0|[1-9]\d{0,14}):([0-9a-f]{64})$/;

export const Verification = z.object({
  after: z
    .string()
    .regex(LINK, "Use a sequence and its hash, with a colon between them")
    .transform((text) => {
      const [sequence = "", hash = ""] = text.split(":");
      return { sequence: Number(sequence), hash };
    })
    .optional()
    .openapi({
      type: "string",
      description: "Begin after this entry, `{sequence}:{hash}`, which is to have this hash still: a head that was noted elsewhere, or `next` of an answer",
      example: `1:${exampleEntry.hash}`,
    }),
});

const Head = z
  .object({ sequence: z.int().openapi({ example: 1 }), hash: Hash.openapi({ example: exampleEntry.hash }) })
  .openapi("AuditHead", { description: "The end of the log. Who notes it elsewhere finds out when the log was rewritten as a whole." });

export const exampleVerdict = { valid: true, entries: 1, head: { sequence: 1, hash: exampleEntry.hash }, firstBroken: null, next: null };
export const exampleBroken = { valid: false, entries: 1841, head: { sequence: 1841, hash: exampleEntry.hash }, firstBroken: { sequence: 1203, reason: "altered" as const }, next: null };
export const exampleUnfinished = { ...exampleVerdict, valid: null, entries: 1, head: { sequence: 90_000, hash: exampleEntry.previous }, next: `1:${exampleEntry.hash}` };

export const Verdict = z
  .object({
    valid: z.boolean().nullable().openapi({ description: "Null: nothing is broken so far, and there is more", example: true }),
    entries: z.int().openapi({ description: "How many were looked at", example: 1 }),
    head: Head,
    firstBroken: z
      .object({
        sequence: z.int().openapi({ example: 1203 }),
        reason: z.enum(REASONS).openapi({
          description:
            "`missing`: there is no such entry. `unexpected`: there is one where none can be. `altered`: its hash is not that of what it says. " +
            "`unlinked`: it does not carry the hash of the entry before. `replaced`: it is not the one whose hash was noted",
          example: "altered",
        }),
      })
      .nullable()
      .openapi({ example: exampleBroken.firstBroken }),
    next: z.string().nullable().openapi({ description: "What to send as `after` to go on", example: null }),
  })
  .openapi("AuditVerdict");
