import type { FiringView, ScheduleSubject } from '../contract.ts';

export type SkipReason = NonNullable<FiringView['reason']>;

/** Why a time of a schedule came to nothing, beside the codes that refuse a run. */
export function skipsOf({ kind, run, cli }: Pick<ScheduleSubject, 'kind' | 'run' | 'cli'>) {
  const runNow = `weir ${cli} trigger runs it now.`;
  return {
    running: {
      code: 'run_already_active',
      detail: `A ${run} of the ${kind} was running when its time came.`,
      hint: 'Give the schedule more time between its runs, or overlap buffer_one.',
    },
    retired: { code: `${kind}_retired`, detail: `The ${kind} was deleted.`, hint: null },
    gone: { code: 'schedule_gone', detail: 'The schedule was deleted while this time waited.', hint: null },
    paused: {
      code: 'schedule_paused',
      detail: 'The schedule was paused when its time came.',
      hint: `weir ${cli} resume`,
    },
    missed: {
      code: 'schedule_missed',
      detail: 'Nobody could begin it within catchup_window_seconds of its time.',
      hint: `Look whether workers and workflow engine were away: weir ops health. ${runNow}`,
    },
    waiting: {
      code: 'schedule_waiting',
      detail: 'An earlier time of the schedule is already waiting to begin.',
      hint: 'Give the schedule more time between its runs.',
    },
    lost: {
      code: 'schedule_wait_lost',
      detail: `It waited for a running ${run}, and the workflow engine has lost it.`,
      hint: runNow,
    },
    failed: {
      code: 'schedule_failed',
      detail: 'It could not be carried out; the log of the worker says why.',
      hint: runNow,
    },
  } satisfies Record<string, SkipReason>;
}
