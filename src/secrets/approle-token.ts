import * as z from "zod";
import type { Call } from "../http/call.ts";
import { Problem } from "../http/problem.ts";
import { jsonOf, type Outcome, upstreamProblem } from "../http/upstream.ts";
import { STORE } from "./answer.ts";
import type { SessionNeeds } from "./session.ts";

export type ApproleToken = {
  get: (call: Call) => Promise<string>;
  /** Forgets the token that was refused, so that the next `get` logs in. */
  discard: (token: string) => void;
};

type Held = { token: string; renewAt: number; ends: number };

const AuthSchema = z.object({ auth: z.object({ client_token: z.string().min(1), lease_duration: z.number(), renewable: z.boolean() }) });

const EARLY_MS = 30_000;
/** Vault locks a role after five wrong secret-ids, for the right one too: a refused login is not repeated at every call. */
const PAUSE_MS = 5000;

/** This service's own token: fetched once for all who wait, kept in memory only, renewed before it ends. */
export function approleToken(needs: SessionNeeds): ApproleToken {
  const { server, headers, roleId, secretId, now, sharesPending } = needs;
  let current: Held | undefined;
  let pending: Promise<string> | undefined;
  let refused: { problem: Problem; until: number } | undefined;

  async function fetchToken(call: Call): Promise<string> {
    const held = current;
    const renewed = held && held.ends > now() ? await renew(call, held.token) : undefined;
    if (renewed) current = renewed;
    else current = await login(call);
    return current.token;
  }

  /** Undefined when the token cannot be renewed, or not for long: its whole time is bounded. */
  async function renew(call: Call, token: string): Promise<Held | undefined> {
    const began = now();
    const outcome = await server.send(call, { method: "POST", path: "/auth/token/renew-self", headers: { ...headers, "x-vault-token": token }, json: {} });
    const renewed = heldIn(outcome, began);
    return renewed && renewed.ends - began > 2 * EARLY_MS ? renewed : undefined;
  }

  async function login(call: Call): Promise<Held> {
    const began = now();
    if (refused && refused.until > began) throw refused.problem;
    const outcome = await server.send(call, { method: "POST", path: "/auth/approle/login", headers, json: { role_id: roleId, secret_id: secretId } });
    const held = heldIn(outcome, began);
    if (held) return held;
    if (outcome.kind !== "answer" || (outcome.status !== 400 && outcome.status !== 403)) throw upstreamProblem(STORE, outcome);
    refused = { problem: refusal(outcome.status), until: began + PAUSE_MS };
    throw refused.problem;
  }

  return {
    async get(call) {
      if (current && current.renewAt > now()) return current.token;
      if (!sharesPending) return fetchToken(call);
      pending ??= fetchToken(call).finally(() => {
        pending = undefined;
      });
      return pending;
    },
    discard(token) {
      if (current?.token === token) current = undefined;
    },
  };
}

function heldIn(outcome: Outcome, began: number): Held | undefined {
  if (outcome.kind !== "answer" || outcome.status !== 200) return undefined;
  const auth = AuthSchema.safeParse(jsonOf(outcome.text)).data?.auth;
  if (!auth) return undefined;
  // Zero is a token without an end.
  const lifetime = auth.lease_duration === 0 ? Number.POSITIVE_INFINITY : auth.lease_duration * 1000;
  return { token: auth.client_token, renewAt: began + Math.max(lifetime - EARLY_MS, lifetime / 2), ends: began + lifetime };
}

function refusal(status: 400 | 403): Problem {
  const isLocked = status === 403;
  const reason = isLocked ? "the role is locked after wrong secret-ids (sys/locked-users unlocks it)" : "the role-id or the secret-id is not valid";
  const cause = new Error(`The ${STORE} refused the login with ${status}: ${reason}`);
  return new Problem("UPSTREAM_BAD_ANSWER_502", isLocked ? `The ${STORE} has locked this service out` : `The ${STORE} does not accept this service`, { cause });
}
