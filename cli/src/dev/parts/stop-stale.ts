import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, signalProcess } from '../folder/process-identity.ts';
import type { DevProcess } from '../folder/state.ts';

const GRACE_MS = 20_000;
const POLL_MS = 100;

/** What ends each part well; the rest take SIGTERM. SIGINT makes Postgres end its sessions first. */
const STOP_SIGNALS: Record<string, NodeJS.Signals> = { postgres: 'SIGINT' };

/**
 * Stops processes that a killed supervisor left behind, last started first, each known by pid and start time so that
 * no stranger is ever signalled. Answers the names of those that were there.
 */
export async function stopStale(processes: readonly DevProcess[]): Promise<string[]> {
  const stopped: string[] = [];
  for (const left of processes.toReversed()) {
    if (left.started === undefined) continue;
    if (!(await signalProcess(left, STOP_SIGNALS[left.name] ?? 'SIGTERM'))) continue;
    stopped.push(left.name);
    if (!(await isGone(left, GRACE_MS))) await signalProcess(left, 'SIGKILL');
    await isGone(left, GRACE_MS);
  }
  return stopped;
}

/** Waits until a process has gone; false when it is still there after the time given. */
export async function isGone(target: Pick<DevProcess, 'pid' | 'started'>, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (await isAlive(target)) {
    if (performance.now() > until) return false;
    await delay(POLL_MS);
  }
  return true;
}
