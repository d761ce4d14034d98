import { createHash } from 'node:crypto';
import type { ScheduleSpec } from '@temporalio/client';
import type { WorkflowEngineService } from '@weir/kernel';
import type { EngineSchedule, SchedulesService } from '../contract.ts';
import { clockChanges } from './clock-changes.ts';
import { engineCrons } from './engine-crons.ts';
import { cronsOf, isDue, nextRuns } from './next-runs.ts';
import { readTimes } from './read-times.ts';
import { sentence } from './sentence.ts';

const PAGE = 1_000;

/** The kernel loads the client with the first call of the engine; so does this plugin. */
const loadSdk = () => import('@temporalio/client');

type Engine = Pick<WorkflowEngineService, 'withClient' | 'queues'>;

/** Schedules over the engine's own; calls of the engine are bounded, and throw `dependency_unavailable` when it is away. */
export function schedulesService(engine: Engine, now: () => number = Date.now): SchedulesService {
  return {
    ...{ readTimes, nextRuns, isDue, clockChanges, sentence },
    digest: (schedule) =>
      createHash('sha256')
        .update(JSON.stringify(optionsOf(engine, schedule, now())))
        .digest('hex'),

    put: (schedule) =>
      engine.withClient(async ({ schedule: schedules }) => {
        const { ScheduleAlreadyRunning, ScheduleNotFoundError } = await loadSdk();
        const { scheduleId } = schedule;
        const options = optionsOf(engine, schedule, now());
        const handle = schedules.getHandle(scheduleId);
        try {
          await handle.update(() => options);
        } catch (error) {
          if (!(error instanceof ScheduleNotFoundError)) throw error;
          await schedules.create({ scheduleId, ...options }).catch(async (raced: unknown) => {
            if (!(raced instanceof ScheduleAlreadyRunning)) throw raced;
            await handle.update(() => options);
          });
        }
        return { mark: markOf(await handle.describe()) };
      }),

    mark: (scheduleId) =>
      engine.withClient(async ({ schedule }) => {
        const { ScheduleNotFoundError } = await loadSdk();
        try {
          return markOf(await schedule.getHandle(scheduleId).describe());
        } catch (error) {
          if (error instanceof ScheduleNotFoundError) return undefined;
          throw error;
        }
      }),

    remove: (scheduleId) =>
      engine.withClient(async ({ schedule }) => {
        const { ScheduleNotFoundError } = await loadSdk();
        await schedule
          .getHandle(scheduleId)
          .delete()
          .catch((error: unknown) => {
            if (!(error instanceof ScheduleNotFoundError)) throw error;
          });
      }),

    list: (workflowType) =>
      engine.withClient(async ({ schedule }) => {
        const ids: string[] = [];
        for await (const { scheduleId, action } of schedule.list({ pageSize: PAGE }))
          if (action?.workflowType === workflowType) ids.push(scheduleId);
        return ids;
      }),
  };
}

/** What the engine is to hold. Every time starts its workflow, so that each can say what became of it, unless it is to be alone. */
function optionsOf(engine: Pick<Engine, 'queues'>, schedule: EngineSchedule, now: number) {
  const { scheduleId, times, paused, workflowType, role, args, alone = false } = schedule;
  const taskQueue = engine.queues().find((known) => known.role === role)?.queue;
  if (taskQueue === undefined) throw new Error(`no plugin takes work of the role ${role}`);
  return {
    spec: specOf(times, now),
    action: { type: 'startWorkflow' as const, workflowType, workflowId: scheduleId, taskQueue, args: [...args] },
    policies: {
      overlap: alone ? ('SKIP' as const) : ('ALLOW_ALL' as const),
      catchupWindow: times.catchup_window_seconds * 1_000,
      pauseOnFailure: false,
    },
    state: { paused: paused !== undefined, ...(paused ? { note: paused } : {}) },
  };
}

function specOf(times: EngineSchedule['times'], now: number): ScheduleSpec {
  const { interval_seconds: every, offset_seconds: offset, start_at, end_at, jitter_seconds: jitter } = times;
  return {
    timezone: 'UTC',
    ...(every === null
      ? { cronExpressions: engineCrons(cronsOf(times), times.timezone, now) }
      : { intervals: [{ every: every * 1_000, offset: offset * 1_000 }] }),
    ...(jitter === 0 ? {} : { jitter: jitter * 1_000 }),
    ...(start_at === null ? {} : { startAt: new Date(start_at) }),
    ...(end_at === null ? {} : { endAt: new Date(end_at) }),
  };
}

/** The engine's own token of a schedule as it is; each change of it makes another. */
function markOf({ raw }: { raw: { conflictToken?: Uint8Array | null } }): string {
  return Buffer.from(raw.conflictToken ?? []).toString('hex');
}
