import {
  ActivityFailure,
  ApplicationFailure,
  continueAsNew,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { ScheduledTime } from '../../model/scheduled-time.ts';
import type { SkipReason } from '../../model/skips.ts';
import type { ScheduleActivities } from '../activities.ts';

/** What a schedule gives; what is absent is taken from the workflow itself, the first time. */
export type ScheduleInput = Pick<ScheduledTime, 'tenant_id' | 'subject_kind' | 'subject_id'> & Partial<ScheduledTime>;

const { fireSchedule } = proxyActivities<ScheduleActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 60 },
});

const { skipSchedule } = proxyActivities<ScheduleActivities>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;
/** Tries that one history holds. */
const TRIES = 100;

/** One time of a schedule: a run is started, or it is noted why not. A time that waits is tried again. */
export async function ScheduledTimeWorkflow(input: ScheduleInput): Promise<void> {
  const { firstExecutionRunId, startTime, searchAttributes } = workflowInfo();
  const [planned = startTime] = (searchAttributes.TemporalScheduledStartTime ?? []) as Date[];
  const time = { firing_id: firstExecutionRunId, scheduled_at: planned.toISOString(), ...input };
  try {
    for (let tried = 0, wait = FIRST_WAIT_MS; tried < TRIES; tried += 1, wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      if ((await fireSchedule(time)) === 'done') return;
      await sleep(wait);
    }
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    await skipSchedule(time, reasonIn(error.cause));
    return;
  }
  await continueAsNew<typeof ScheduledTimeWorkflow>(time);
}

/** The gate before an activity says why in the failure's details. */
function reasonIn(cause: unknown): SkipReason | undefined {
  const told = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  const { code, detail, hint } = (told ?? {}) as Partial<SkipReason>;
  return code === undefined || detail === undefined ? undefined : { code, detail, hint: hint ?? null };
}
