import { problem } from '@weir/kernel/contract';

/** The codes that refuse a schedule, whatever it runs. */
export const scheduleProblems = {
  scheduleInvalid: problem({
    code: 'schedule_invalid',
    status: 422,
    title: 'Schedule invalid',
    detail: 'The schedule says no times that it could run at.',
    hint: 'Give five fields such as 0 6 * * mon-fri, or an interval in seconds; and a zone such as Europe/Kyiv.',
    faults: {
      required: 'or an interval is required',
      no_such_time: 'is no time that exists',
      unknown_zone: 'is not a known time zone',
      not_cron: 'is not a cron expression: five fields, such as 0 6 * * mon-fri',
      never_runs: 'names no time that comes',
      not_with_cron: 'cannot be given with a cron expression',
      needs_interval: 'goes only with an interval',
      not_below_interval: 'must be shorter than the interval',
      not_after_start: 'must be later than the start',
      past: 'lies in the past',
    },
  }),
  scheduleTooFrequent: problem({
    code: 'schedule_too_frequent',
    status: 422,
    title: 'Schedule too frequent',
    detail: 'At least {seconds} seconds must lie between two runs of a schedule here.',
    hint: 'Take a longer interval or fewer times, or ask the operator: WEIR_SCHEDULE_MIN_SECONDS.',
  }),
};
