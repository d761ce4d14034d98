import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, permission } from '@weir/kernel/contract';
import { ClockChange, NextRun, ScheduleTimes, scheduleTimes } from '@weir/plugin-workflow-engine/contract';
import { scheduleProblems } from './problems.ts';

/** Asking about times, which belong to no one. */
const tryTimes = permission('schedules:preview', 'viewer', { reads: true });

/** What times mean, before anything has them as its schedule. */
export const TimesPreview = Type.Object({
  ...ScheduleTimes.properties,
  sentence: Type.String({ description: 'The same in words' }),
  next_runs: Type.Array(NextRun, { description: 'The next five, before jitter' }),
  clock_changes: Type.Array(ClockChange, {
    description: 'Days within 400 on which clocks change and a run is skipped or doubled by it',
  }),
});
export type TimesPreviewView = Static<typeof TimesPreview>;

/** `POST /schedule-preview` */
export const previewSchedule = endpoint({
  id: 'schedules.preview_schedule',
  method: 'POST',
  path: '/schedule-preview',
  summary: 'Say when a schedule would run, before anything has it',
  description: 'It is refused for what would refuse such a schedule, and keeps nothing.',
  access: tryTimes,
  body: Closed(scheduleTimes),
  example: { cron: ['30 6 * * mon-fri'], timezone: 'Europe/Kyiv' },
  response: TimesPreview,
  errors: [scheduleProblems.scheduleInvalid, scheduleProblems.scheduleTooFrequent],
});
