import { decodeJwt, decodeProtectedHeader } from "jose";
import * as z from "zod";
import { durationOf } from "../duration.ts";
import type { Finding } from "../finding.ts";
import type { OwnClient } from "./client.ts";
import { found } from "./found.ts";

const RolesSchema = z.object({ roles: z.array(z.string()) });
const ClaimsSchema = z.object({
  iss: z.string(),
  iat: z.number(),
  exp: z.number(),
  sub: z.string().optional(),
  realm_access: RolesSchema.optional(),
  resource_access: z.record(z.string(), RolesSchema).optional(),
});

export type Claims = z.infer<typeof ClaimsSchema>;

export type OwnToken = { text: string; algorithm: string; claims: Claims };

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const MINUTE_S = 60;

/** Unverified: it came from the token endpoint itself. Undefined for a token that is no JWT. */
export function ownToken(text: string): OwnToken | undefined {
  try {
    return { text, algorithm: decodeProtectedHeader(text).alg ?? "none", claims: ClaimsSchema.parse(decodeJwt(text)) };
  } catch {
    return undefined;
  }
}

/** What the services would say of the token: how it is signed, by whom issued, and how long it lives. */
export function tokenFindings({ id: client }: OwnClient, { algorithm, claims }: OwnToken, { issuer, base }: { issuer: string; base: string }): Finding[] {
  const isOurs = claims.iss === issuer;
  const signature = algorithm === "RS256" ? found("signature", { client, algorithm }) : found("signature-other", { client, algorithm });
  return [isOurs ? signature : found("token-issuer", { client, issuer: claims.iss, expected: issuer, base }), lifetimeFinding(client, claims.exp - claims.iat)];
}

function lifetimeFinding(client: string, seconds: number): Finding {
  const values = { client, lifetime: durationOf(seconds) };
  if (seconds > DAY_S) return found("token-too-long", values);
  if (seconds > HOUR_S) return found("token-long", values);
  return found(seconds < MINUTE_S ? "token-short" : "token-lifetime", values);
}
