import { createHash } from 'node:crypto';
import { isLive } from '@weir/kernel';
import { type EngineWorkerView, readWorkerIdentity, TASK_TYPES } from '../contract.ts';
import type { QueueState } from './queue-states.ts';

const DIGEST_DIGITS = 8;

/** The workers that the engine has seen on the queues, one entry for each queue that one polls, the latest first. */
export function listWorkers(states: readonly QueueState[], at: Date): EngineWorkerView[] {
  return states
    .flatMap(({ description, ...named }) => {
      const seen = TASK_TYPES.flatMap((type) =>
        (description?.[type].pollers ?? []).map((poller) => ({
          type,
          ...poller,
          identity: shownIdentity(poller.identity),
        })),
      );
      return [...Map.groupBy(seen, ({ identity }) => identity)].map(([identity, polls]) => {
        const lastSeenAt = new Date(Math.max(...polls.map((poll) => poll.lastSeenAt.getTime())));
        return {
          identity,
          ...named,
          task_types: TASK_TYPES.filter((type) => polls.some((poll) => poll.type === type)),
          last_seen_at: lastSeenAt.toISOString(),
          live: polls.some((poll) => isLive(poll, at.getTime())),
        };
      });
    })
    .sort((a, b) => (a.last_seen_at < b.last_seen_at ? 1 : -1));
}

/** A worker that is not ours may be called by its machine, so only a digest of that is shown. */
function shownIdentity(identity: string): string {
  if (readWorkerIdentity(identity) !== undefined) return identity;
  return `foreign:${createHash('sha256').update(identity).digest('hex').slice(0, DIGEST_DIGITS)}`;
}
