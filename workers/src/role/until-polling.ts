import { setTimeout as pause } from 'node:timers/promises';
import type { RunningPlatform } from '@weir/kernel/boot';

const LOOK_EVERY_MS = 50;
const LOOK_FOR_MS = 30_000;

/** A worker as the engine knows it. */
export interface PollingWorker {
  queue: string;
  identity: string;
}

/**
 * Resolves when the engine lists each worker as a poller of its queue for workflows and activities: from then on a start
 * that asks who polls finds it. Gives up after half a minute, so that an engine which is away holds up nothing.
 */
export async function untilPolling(
  { workflows, log }: Pick<RunningPlatform, 'workflows' | 'log'>,
  workers: readonly PollingWorker[],
): Promise<void> {
  const deadline = Date.now() + LOOK_FOR_MS;
  for (const { queue, identity } of workers) {
    while (!(await isListed(workflows, queue, identity))) {
      if (Date.now() > deadline) return log.warn({ queue }, 'the workflow engine does not list this worker yet');
      await pause(LOOK_EVERY_MS);
    }
  }
}

async function isListed(workflows: RunningPlatform['workflows'], queue: string, identity: string): Promise<boolean> {
  const found = await workflows.describeQueue(queue).catch(() => undefined);
  const lists = (side: 'workflow' | 'activity') => found?.[side].pollers.some((poller) => poller.identity === identity);
  return lists('workflow') === true && lists('activity') === true;
}
