import * as z from "zod";
import type { Call } from "../http/call.ts";
import { type Held, held, type HeldToken, heldToken } from "../http/held-token.ts";
import { Problem } from "../http/problem.ts";
import { jsonOf, type Outcome, upstreamProblem } from "../http/upstream.ts";
import { STORE } from "./answer.ts";
import type { SessionNeeds } from "./session.ts";

const AuthSchema = z.object({ auth: z.object({ client_token: z.string().min(1), lease_duration: z.number(), renewable: z.boolean() }) });

/** A renewal that gives less is not worth the next one. */
const WORTHWHILE_MS = 60_000;
/** Vault locks a role after five wrong secret-ids, for the right one too: a refused login is not repeated at every call. */
const PAUSE_MS = 5000;

/** This service's own token, renewed while that is to be had, else from a fresh login. */
export function approleToken(needs: SessionNeeds): HeldToken {
  const { server, headers, roleId, secretId, now } = needs;
  let refused: { problem: Problem; until: number } | undefined;

  async function obtain(call: Call, current: Held | undefined): Promise<Held> {
    const renewed = current && current.ends > now() ? await renew(call, current.token) : undefined;
    return renewed ?? login(call);
  }

  /** Undefined when the token cannot be renewed, or not for long: its whole time is bounded. */
  async function renew(call: Call, token: string): Promise<Held | undefined> {
    const began = now();
    const outcome = await server.send(call, { method: "POST", path: "/auth/token/renew-self", headers: { ...headers, "x-vault-token": token }, json: {} });
    const renewed = heldIn(outcome, began);
    return renewed && renewed.ends - began > WORTHWHILE_MS ? renewed : undefined;
  }

  async function login(call: Call): Promise<Held> {
    const began = now();
    if (refused && refused.until > began) throw refused.problem;
    const outcome = await server.send(call, { method: "POST", path: "/auth/approle/login", headers, json: { role_id: roleId, secret_id: secretId } });
    const obtained = heldIn(outcome, began);
    if (obtained) return obtained;
    if (outcome.kind !== "answer" || (outcome.status !== 400 && outcome.status !== 403)) throw upstreamProblem(STORE, outcome);
    refused = { problem: refusal(outcome.status), until: began + PAUSE_MS };
    throw refused.problem;
  }

  return heldToken(obtain, needs);
}

function heldIn(outcome: Outcome, began: number): Held | undefined {
  if (outcome.kind !== "answer" || outcome.status !== 200) return undefined;
  const auth = AuthSchema.safeParse(jsonOf(outcome.text)).data?.auth;
  if (!auth) return undefined;
  // Zero is a token without an end.
  const lifetime = auth.lease_duration === 0 ? Number.POSITIVE_INFINITY : auth.lease_duration * 1000;
  return held(auth.client_token, { began, lifetime });
}

function refusal(status: 400 | 403): Problem {
  const isLocked = status === 403;
  const reason = isLocked ? "the role is locked after wrong secret-ids (sys/locked-users unlocks it)" : "the role-id or the secret-id is not valid";
  const cause = new Error(`The ${STORE} refused the login with ${status}: ${reason}`);
  return new Problem("UPSTREAM_BAD_ANSWER_502", isLocked ? `The ${STORE} has locked this service out` : `The ${STORE} does not accept this service`, { cause });
}
