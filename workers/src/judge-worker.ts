import type { TaskQueueDescription } from '@weir/kernel';
import { BOUNDS } from './process/own-bounds.ts';
import type { RoleState, WorkerRecord } from './process/process-state.ts';

/** One thing that was looked at. */
export interface HealthFinding {
  check: 'event_loop' | 'bounds' | 'engine' | 'workflow_poller' | 'activity_poller';
  /** Absent for what concerns the whole process. */
  role?: string;
  /** `diagnostic` is told and does no harm. */
  outcome: 'ok' | 'diagnostic' | 'failed';
  detail: string;
}

/** A poll is held open for a minute; with half a minute on top, who has not polled since does not poll. */
const POLLER_MAX_AGE_MS = 90_000;
const NS_PER_MS = 1_000_000n;
const MS_PER_SECOND = 1_000;

/** Whether the event loop of a worker has turned within the bound. `nowNs` is of the clock that the beat was taken from. */
export function judgeBeat({ beat_ns }: Pick<WorkerRecord, 'beat_ns'>, nowNs: bigint, maxSilenceMs: number) {
  const silentMs = Number((nowNs - BigInt(beat_ns)) / NS_PER_MS);
  const outcome = silentMs <= maxSilenceMs ? 'ok' : 'failed';
  const detail = `the event loop turned ${Math.max(0, silentMs / MS_PER_SECOND).toFixed(1)} s ago`;
  return { check: 'event_loop', outcome, detail } satisfies HealthFinding;
}

/** What a worker is held to by whoever runs it; one that is held to less is told of, and is no less alive. */
export function judgeBounds({ missing_bounds: missing }: Pick<WorkerRecord, 'missing_bounds'>): HealthFinding[] {
  if (missing === undefined) return [];
  const check = 'bounds';
  if (missing.length === 0)
    return [{ check, outcome: 'ok', detail: 'it has no privileges and is held to its folders' }];
  return [{ check, outcome: 'diagnostic', detail: missing.map((bound) => BOUNDS[bound]).join('; ') }];
}

/**
 * Whether the engine sees a worker poll its queue, by the worker's own identity: others on the queue prove nothing of it.
 * A queue that does not exist is one that nobody polls. While all slots are busy nobody polls for activities.
 */
export function judgePollers(
  state: RoleState,
  { queue, found, now }: { queue: string; found: TaskQueueDescription; now: number },
): HealthFinding[] {
  const polls = (side: 'workflow' | 'activity') =>
    found[side].pollers.some(
      ({ identity, lastSeenAt }) => identity === state.identity && now - lastSeenAt.getTime() <= POLLER_MAX_AGE_MS,
    );
  const { role, slots, in_flight: busy } = state;
  const told = (side: 'workflow' | 'activity', outcome: HealthFinding['outcome'], detail: string): HealthFinding => ({
    check: `${side}_poller`,
    role,
    outcome,
    detail,
  });
  const workflow = polls('workflow')
    ? told('workflow', 'ok', `polls ${queue} for workflows`)
    : told('workflow', 'failed', `the engine sees no workflow poller of this worker on ${queue}`);
  if (polls('activity')) return [workflow, told('activity', 'ok', `polls ${queue} for activities`)];
  const idle = `no activity poller of this worker on ${queue}`;
  return [
    workflow,
    busy >= slots
      ? told('activity', 'diagnostic', `${idle} while all ${slots} slots are busy`)
      : told('activity', 'failed', `${idle}, and ${slots - busy} of ${slots} slots are free`),
  ];
}
