/** How long an event is tried again before its webhook is paused. */
export const RETRY_MS = 24 * 60 * 60_000;

const FIRST_MS = 5_000;
const LONGEST_MS = 60 * 60_000;
const FACTOR = 3;
const SPREAD = 0.2;

/** Milliseconds until the next attempt: 5 s, 15 s, 45 s … at most an hour, spread by a fifth. Pure but for chance. */
export function retryAfterMs(attempts: number, random: () => number = Math.random): number {
  const wait = Math.min(FIRST_MS * FACTOR ** Math.max(0, attempts - 1), LONGEST_MS);
  return Math.round(wait * (1 - SPREAD + 2 * SPREAD * random()));
}
