import { setTimeout as delay } from 'node:timers/promises';

/** Between two looks: soon again at first, then ever later, since a look costs more than what is looked at. */
const [POLL_MS, POLL_GROWTH, MAX_POLL_MS] = [20, 1.3, 750];
/** Far beyond what anything here takes; only a hang reaches it. */
const HANG_MS = 180_000;

type Maybe<T> = T | undefined | false;

/** Looks until something is there, or is so. Rejects after a time that only a hang takes, or after `limitMs`. */
export async function until<T>(what: string, look: () => Maybe<T> | Promise<Maybe<T>>, limitMs = HANG_MS): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (let pause = POLL_MS; ; pause = Math.min(pause * POLL_GROWTH, MAX_POLL_MS)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited ${limitMs / 1_000} s in vain for ${what}`);
    await delay(pause);
  }
}
