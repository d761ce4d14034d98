import { problem } from '@weir/kernel/contract';

/** The codes that refuse a schedule, whatever it runs. */
export const scheduleProblems = {
  scheduleInvalid: problem({
    code: 'schedule_invalid',
    status: 422,
    title: 'Schedule invalid',
    detail: 'The schedule says no times that it could run at.',
    hint: 'Each entry of errors names the place and the rule. Five fields such as 0 6 * * mon-fri, or interval_seconds; a zone such as Europe/Kyiv.',
  }),
  scheduleTooFrequent: problem({
    code: 'schedule_too_frequent',
    status: 422,
    title: 'Schedule too frequent',
    detail: 'At least {seconds} seconds must lie between two runs of a schedule here.',
    hint: 'Take a longer interval or fewer times, or ask the operator: WEIR_SCHEDULE_MIN_SECONDS.',
  }),
};
