const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Before the second attempt, the third, and so on: the schedule that Standard Webhooks gives, a little over three days. */
const PAUSES_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS];
/** What is added at most, as a part of the pause: so that what failed together does not come again together. */
const JITTER = 0.2;
/** However long a receiver asks for. */
const LONGEST_WISH_MS = 24 * HOUR_MS;

/** Milliseconds to wait after so many attempts in vain; undefined after the last. */
export function pauseAfter(attempts: number, random: () => number): number | undefined {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? undefined : Math.round(pause * (1 + JITTER * random()));
}

/** How long a receiver asks to be left alone, in milliseconds: `Retry-After` (RFC 9110, 10.2.3), bounded; undefined where it asks for nothing. */
export function wishIn(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  const wish = /^\d{1,10}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(wish) ? undefined : Math.min(Math.max(0, wish), LONGEST_WISH_MS);
}
