import type { Call } from "../http/call.ts";
import type { Answer, Exchange, Outcome } from "../http/upstream.ts";

/** One call as an administrator; `accepts` are the statuses that the caller has a use for, by default those of success. */
export type Administer = (call: Call, exchange: Exchange & { accepts?: readonly number[] }) => Promise<Answer>;

/** Why an administrator's work at an outside system cannot be done, in a sentence for who runs the command. */
export class AdministrationError extends Error {
  override readonly name = "AdministrationError";
}

/** Milliseconds: to make a realm takes seconds. */
export const ADMINISTRATION_TIMEOUT_MS = 60_000;

const SUCCESS: readonly number[] = [200, 201, 204];

type At = {
  name: string;
  url: string;
  /** Status → what mends it, as it stands after the status in a sentence. */
  hints?: Readonly<Record<number, string>>;
};

/** Turns what came of each exchange into its answer, or into an AdministrationError that says where and which call. */
export function administer(at: At, send: (call: Call, exchange: Exchange) => Promise<Outcome>): Administer {
  const { name, url, hints = {} } = at;
  return async (call, { accepts = SUCCESS, ...exchange }) => {
    const outcome = await send(call, exchange);
    if (outcome.kind === "lost") throw notReached({ name, url }, outcome);
    if (accepts.includes(outcome.status)) return outcome;
    throw new AdministrationError(`Cannot ${exchange.method} "${exchange.path}" at the ${name} "${url}": it answered ${outcome.status}${hints[outcome.status] ?? hintFor(outcome.status)}`);
  };
}

export function notReached({ name, url }: { name: string; url: string }, { reason, cause }: Extract<Outcome, { kind: "lost" }>): AdministrationError {
  const why = { unavailable: "it is not there", timeout: "it did not answer in time", unusable: "its answer cannot be used" }[reason];
  return new AdministrationError(`Cannot reach the ${name} at "${url}": ${why}`, { cause });
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return ", so the credentials given have not the right";
  return status === 503 || status === 429 ? ", so try again" : "";
}
