import type { Static } from '@sinclair/typebox';
import { POLLER_LIVE_MS, type WorkflowEngineService } from '@weir/kernel';
import { kernelProblems, type Output } from '@weir/kernel/contract';
import {
  type getEngineConfig,
  type getEngineHealth,
  type getEngineHealthDetailed,
  type getEngineMetrics,
  type listEngineWorkers,
  type listTaskQueues,
  MAX_WAIT_SECONDS,
  type ScheduleToStart,
} from '../contract.ts';
import { MAX_WAITS } from '../workflow/wait-for-end.ts';
import { backlogOf, judgeQueue, overallStatus, pollersOf } from './judge-queue.ts';
import { listWorkers } from './list-workers.ts';
import { type QueueStates, queuesByRole, STATE_AGE_MS } from './queue-states.ts';

const MS_PER_SECOND = 1_000;

export interface EngineDeps {
  engine: WorkflowEngineService;
  states(): Promise<QueueStates>;
  /** How long activities waited, by queue; undefined when nobody adds the figures up. */
  scheduleToStart(): Promise<ReadonlyMap<string, Static<typeof ScheduleToStart>> | undefined>;
}

/** Looking at the workflow engine as a whole. */
export function engineService({ engine, states, scheduleToStart }: EngineDeps) {
  /** The queues, of which at least one must have been told of. */
  const known = async (): Promise<QueueStates> => {
    const found = await states();
    const silent = found.queues.length > 0 && found.queues.every(({ description }) => description === undefined);
    if (silent) throw kernelProblems.dependencyUnavailable();
    return found;
  };
  const all = <T>(items: T[]) => ({ items, next_page_token: null, total: items.length });
  return {
    async health(): Promise<Output<typeof getEngineHealth>> {
      const up = await engine.health().catch(() => false);
      return { status: up ? 'up' : 'down', checked_at: new Date().toISOString() };
    },

    async detailed(): Promise<Output<typeof getEngineHealthDetailed>> {
      const [found, { at, queues }] = await Promise.all([engine.engine().catch(() => undefined), states()]);
      const judged = queues.map((state) => judgeQueue(state, at));
      return {
        status: overallStatus(found !== undefined, judged),
        checked_at: at.toISOString(),
        server_version: found?.serverVersion ?? null,
        queues: judged,
      };
    },

    async config(): Promise<Output<typeof getEngineConfig>> {
      const { namespace, serverVersion, retentionSeconds } = await engine.engine();
      return {
        namespace,
        server_version: serverVersion,
        retention_seconds: retentionSeconds,
        queues: queuesByRole(engine),
        limits: {
          wait_seconds: MAX_WAIT_SECONDS,
          waits: MAX_WAITS,
          poller_live_seconds: POLLER_LIVE_MS / MS_PER_SECOND,
          snapshot_age_seconds: STATE_AGE_MS / MS_PER_SECOND,
        },
      };
    },

    async metrics(): Promise<Output<typeof getEngineMetrics>> {
      const [{ at, queues }, waits] = await Promise.all([known(), scheduleToStart()]);
      return {
        checked_at: at.toISOString(),
        queues: queues.map(({ description, ...named }) => ({
          ...named,
          backlog: { workflow: backlogOf(description?.workflow), activity: backlogOf(description?.activity) },
          schedule_to_start: waits?.get(named.queue) ?? null,
        })),
      };
    },

    async workers(): Promise<Output<typeof listEngineWorkers>> {
      const { at, queues } = await known();
      return all(listWorkers(queues, at));
    },

    async taskQueues(): Promise<Output<typeof listTaskQueues>> {
      const [{ at, queues }, waits] = await Promise.all([known(), scheduleToStart()]);
      const items = queues.map(({ description, ...named }) => {
        const workflow = pollersOf(description?.workflow, at);
        const activity = pollersOf(description?.activity, at);
        const seen = [workflow.last_seen_at, activity.last_seen_at].filter((time) => time !== null).sort();
        return {
          ...named,
          backlog: backlogOf(description?.workflow, description?.activity),
          pollers: { workflow: workflow.pollers, activity: activity.pollers },
          last_seen_at: seen.at(-1) ?? null,
          schedule_to_start: waits?.get(named.queue) ?? null,
        };
      });
      return all(items);
    },
  };
}
