import type { Container } from 'dockerode';
import { within } from './engine-client.ts';

/** So much of what it may have is all of it: a program that cannot start its threads ends, and makes room for the next. */
const FULL_SHARE = 0.9;
const STATS_TIMEOUT_MS = 5_000;

/** Whether a container that runs has as many processes and threads as it may. Never rejects: an engine that cannot say shows nothing. */
export async function isAtProcessBound(container: Pick<Container, 'stats'>): Promise<boolean> {
  try {
    // Without the second sample that the engine takes for rates, which costs it a second.
    const { pids_stats: pids } = await within(container.stats({ stream: false, 'one-shot': true }), STATS_TIMEOUT_MS);
    const { current = 0, limit = 0 } = pids ?? {};
    return limit > 0 && current >= limit * FULL_SHARE;
  } catch {
    return false;
  }
}
