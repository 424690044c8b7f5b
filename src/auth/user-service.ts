import * as z from "zod";
import type { Call } from "../http/call.ts";
import { path } from "../http/path.ts";
import { Problem } from "../http/problem.ts";
import { type Answer, type Exchange, jsonOf, shaped, type Upstream, upstreamProblem } from "../http/upstream.ts";
import { type HeldToken, sendHolding } from "../http/held-token.ts";

const ReservedSchema = z.object({ attemptId: z.string(), userId: z.string(), username: z.string() });
const RefusalSchema = z.object({ code: z.string() });

export type Attempt = z.infer<typeof ReservedSchema>;

export type UserService = ReturnType<typeof userService>;

/** The client of the user service's internal interface: the counter of failed sign-ins. */
export function userService({ upstream, token }: { upstream: Upstream; token: HeldToken }) {
  async function exchange(call: Call, asked: Omit<Exchange, "headers">): Promise<Answer> {
    const outcome = await sendHolding(token, call, {
      send: (bearer) => upstream.send(call, { ...asked, headers: { authorization: `Bearer ${bearer}` } }),
      isRefused: (outcome) => outcome.kind === "answer" && outcome.status === 401,
    });
    if (outcome.kind === "answer" && outcome.status < 400) return outcome;
    throw refusal(outcome) ?? upstreamProblem(upstream.name, outcome);
  }

  return {
    /** Throws `ACCOUNT_LOCKED_403`. */
    async reserve(call: Call, username: string): Promise<Attempt> {
      const answer = await exchange(call, { method: "POST", path: "/internal/api/login-attempts", json: { username } });
      return shaped(upstream.name, answer, ReservedSchema);
    },

    /** Repeated once when its answer is lost: the attempt id makes it count once. */
    async settle(call: Call, { userId, attemptId }: Attempt, isFailed: boolean): Promise<void> {
      const query = { loginFailed: String(isFailed), attemptId };
      const settling = () => exchange(call, { method: "PUT", path: path`/internal/api/security-details/${userId}`, query });
      await settling().catch(settling);
    },

    async release(call: Call, { userId, attemptId }: Attempt): Promise<void> {
      await exchange(call, { method: "DELETE", path: path`/internal/api/login-attempts/${userId}/${attemptId}` });
    },
  };
}

/** The lock is the user's affair; any other refusal of an internal call is ours. */
function refusal(outcome: Awaited<ReturnType<Upstream["send"]>>): Problem | undefined {
  if (outcome.kind !== "answer" || outcome.status !== 403) return undefined;
  if (RefusalSchema.safeParse(jsonOf(outcome.text)).data?.code !== "ACCOUNT_LOCKED_403") return undefined;
  const retryAfter = outcome.headers.get("retry-after");
  return retryAfter === null
    ? new Problem("ACCOUNT_LOCKED_403", "The account is locked")
    : new Problem("ACCOUNT_LOCKED_403", "The account is locked for a while after failed sign-ins", { retryAfter: Number(retryAfter) });
}
