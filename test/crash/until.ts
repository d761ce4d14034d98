import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;
/** Far beyond what anything here takes; only a hang reaches it. */
const HANG_MS = 120_000;

/** Looks until something is there. Rejects after a time that only a hang takes, or after `limitMs`. */
export async function until<T>(what: string, look: () => Promise<T | undefined>, limitMs = HANG_MS): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`waited ${limitMs / 1_000} s in vain for ${what}`);
    await delay(POLL_MS);
  }
}
