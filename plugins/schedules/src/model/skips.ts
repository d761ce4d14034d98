import type { NextStepEntry } from '@weir/kernel/contract';
import { type FiringView, kindWord, type ScheduleSubject } from '../contract.ts';

/** Why a time came to nothing, as it is kept; `{subject_id}` of its steps is filled when it is shown. */
export type SkipReason = Omit<NonNullable<FiringView['reason']>, 'next'> & { next?: readonly NextStepEntry[] };

/** Why a time of a schedule came to nothing, beside the codes that refuse a run. */
export function skipsOf({ kind, run, endpoints }: Pick<ScheduleSubject, 'kind' | 'run' | 'endpoints'>) {
  const params = { [`${kindWord(kind)}_id`]: '{subject_id}' };
  const runNow = {
    hint: 'Run it now.',
    next: [{ operation: endpoints.trigger.id, params, text: `Run the ${kind} now` }],
  };
  const workers = { operation: 'platform.get_services_health', text: 'Show which parts answer' };
  return {
    running: {
      code: 'run_already_active',
      detail: `A ${run} of the ${kind} was running when its time came.`,
      hint: 'Give the schedule more time between its runs, or let one wait (`overlap` buffer_one).',
    },
    behind: {
      code: 'run_already_active',
      detail: `A ${run} of the ${kind} was running when its time came; this time waits for its end.`,
      hint: 'Nothing needs to be done: it starts when that run has ended.',
    },
    retired: { code: `${kindWord(kind)}_retired`, detail: `The ${kind} was deleted.`, hint: null },
    gone: { code: 'schedule_gone', detail: 'The schedule was deleted while this time waited.', hint: null },
    paused: {
      code: 'schedule_paused',
      detail: 'The schedule was paused when its time came.',
      hint: 'Resume the schedule.',
      next: [{ operation: endpoints.resume.id, params, text: 'Resume the schedule' }],
    },
    missed: {
      code: 'schedule_missed',
      detail: 'No worker began it within its catch-up window.',
      hint: 'Look whether workers and workflow engine were away, then run it now.',
      next: [workers, ...runNow.next],
    },
    waiting: {
      code: 'schedule_waiting',
      detail: 'An earlier time of the schedule is already waiting to begin.',
      hint: 'Give the schedule more time between its runs.',
    },
    lost: {
      code: 'schedule_wait_lost',
      detail: `It waited for a running ${run}, and the workflow engine has lost it.`,
      ...runNow,
    },
    failed: {
      code: 'schedule_failed',
      detail: 'It could not be carried out; the log of the worker says why.',
      ...runNow,
    },
  } satisfies Record<string, SkipReason>;
}
