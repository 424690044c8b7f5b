import type { Call } from "./call.ts";

/** A token of this service's own; times in milliseconds since the epoch. */
export type Held = { token: string; renewAt: number; ends: number };

export type HeldToken = {
  get: (call: Call) => Promise<string>;
  /** Forgets the token that was refused, so that the next `get` asks for a fresh one. */
  discard: (token: string) => void;
};

export type Sharing = {
  now: () => number;
  /**
   * Whether callers that wait at once share one request. Not on Workers, where what one request
   * began may not be waited for by another.
   */
  sharesPending: boolean;
};

const EARLY_MS = 30_000;

/** The token that `began` to live for `lifetime` milliseconds. */
export function held(token: string, { began, lifetime }: { began: number; lifetime: number }): Held {
  return { token, renewAt: began + Math.max(lifetime - EARLY_MS, lifetime / 2), ends: began + lifetime };
}

/** Keeps a token in memory only, fetched once for all who wait, and again (or renewed, from the one held) before it ends. */
export function heldToken(obtain: (call: Call, current: Held | undefined) => Promise<Held>, { now, sharesPending }: Sharing): HeldToken {
  let current: Held | undefined;
  let pending: Promise<string> | undefined;

  async function replace(call: Call): Promise<string> {
    current = await obtain(call, current);
    return current.token;
  }

  return {
    async get(call) {
      if (current && current.renewAt > now()) return current.token;
      if (!sharesPending) return replace(call);
      pending ??= replace(call).finally(() => {
        pending = undefined;
      });
      return pending;
    },
    discard(token) {
      if (current?.token === token) current = undefined;
    },
  };
}

type Attempts<T> = { send: (token: string) => Promise<T>; isRefused: (outcome: T) => boolean };

/** What comes of sending with `token`; one that is refused is replaced, once. */
export async function sendHolding<T>(token: HeldToken, call: Call, { send, isRefused }: Attempts<T>): Promise<T> {
  const stale = await token.get(call);
  const outcome = await send(stale);
  if (!isRefused(outcome)) return outcome;
  token.discard(stale);
  return send(await token.get(call));
}
