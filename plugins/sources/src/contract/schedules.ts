import { type Static, Type } from '@sinclair/typebox';
import {
  Accepted,
  Closed,
  endpoint,
  Id,
  kernelProblems,
  listQuery,
  Nullable,
  OneOf,
  Page,
  RUN_STATUSES,
  runProblems,
  Timestamp,
} from '@weir/kernel/contract';
import { ClockChange, NextRun, ScheduleTimes, scheduleTimes } from '@weir/plugin-workflow-engine/contract';
import { readSources, runSources, writeSources } from './access.ts';
import { sourceProblems } from './problems.ts';

/** What a time does that comes while a sync of the source runs: it is left out, or one of them waits for its end. */
export const OVERLAPS = ['skip', 'buffer_one'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** What has become of one time of a schedule: the status of its run, or why there is none. */
export const FIRING_STATUSES = [...RUN_STATUSES, 'waiting'] as const;

const MAX_REASON = 500;

/** One time of a schedule that has come, or that somebody asked for. */
export const Firing = Type.Object({
  firing_id: Id,
  origin: OneOf(['schedule', 'trigger']),
  scheduled_at: Timestamp,
  fired_at: Timestamp,
  requested_by: Type.String(),
  status: OneOf(FIRING_STATUSES),
  run_id: Nullable(Id),
  reason: Nullable(
    Type.Object(
      { code: Type.String(), detail: Type.String(), hint: Nullable(Type.String()) },
      { description: 'Why it was skipped, waits or has failed' },
    ),
  ),
});
export type FiringView = Static<typeof Firing>;

/** The schedule of a source. */
export const Schedule = Type.Composite([
  Type.Object({ source_id: Id, source_name: Type.String() }),
  ScheduleTimes,
  Type.Object({
    overlap: OneOf(OVERLAPS),
    sentence: Type.String({ description: 'The same in words' }),
    next_run_at: Nullable(Timestamp),
    next_runs: Type.Array(NextRun, { description: 'The next five, before jitter; none while it is paused' }),
    clock_changes: Type.Array(ClockChange, {
      description: 'Days within 400 on which clocks change and a run is skipped or doubled by it',
    }),
    paused: Type.Boolean(),
    paused_at: Nullable(Timestamp),
    paused_by: Nullable(Type.String()),
    pause_reason: Nullable(Type.String()),
    in_line: Type.Boolean({ description: 'Whether the workflow engine has been given it in this form yet' }),
    last_firings: Type.Array(Firing, { description: 'The newest ten, newest first' }),
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: Type.String(),
    etag: Type.String(),
  }),
]);
export type ScheduleView = Static<typeof Schedule>;

const params = Closed({ source_id: Id });
const path = '/sources/:source_id/schedule';

/** `GET /sources/{source_id}/schedule` */
export const getSchedule = endpoint({
  id: 'sources.get_schedule',
  method: 'GET',
  path,
  summary: 'Read the schedule of a source, with its next runs and what became of the last',
  access: readSources,
  params,
  response: Schedule,
  errors: [kernelProblems.notFound],
});

/** `PUT /sources/{source_id}/schedule`: replaces it; whether it is paused stays as it is. */
export const putSchedule = endpoint({
  id: 'sources.put_schedule',
  method: 'PUT',
  path,
  summary: 'Give a source a schedule, or replace the one it has',
  description:
    'Either cron or interval_seconds. What is left out takes its default; a pause stays. It is accepted while the workflow engine is away, and in_line says when the engine has it.',
  access: writeSources,
  params,
  body: Closed({
    ...scheduleTimes,
    overlap: Type.Optional(
      OneOf(OVERLAPS, {
        description:
          'When a sync still runs at a time of the schedule: skip leaves that time out, buffer_one lets one of them wait; skip unless given',
      }),
    ),
  }),
  declarative: true,
  response: Schedule,
  errors: [
    kernelProblems.notFound,
    kernelProblems.preconditionFailed,
    sourceProblems.scheduleInvalid,
    sourceProblems.scheduleTooFrequent,
  ],
});

/** `DELETE /sources/{source_id}/schedule` */
export const deleteSchedule = endpoint({
  id: 'sources.delete_schedule',
  method: 'DELETE',
  path,
  summary: 'Take the schedule of a source away; a sync that runs goes on',
  access: writeSources,
  params,
  status: 204,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed],
  cli: 'sources schedule delete',
});

/** `POST /sources/{source_id}/schedule/pause`: one that is paused stays as it is. */
export const pauseSchedule = endpoint({
  id: 'sources.pause_schedule',
  method: 'POST',
  path: `${path}/pause`,
  summary: 'Pause the schedule of a source',
  description: 'One that is paused already stays as it is, with who paused it and why.',
  access: writeSources,
  params,
  body: Closed({
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_REASON,
        pattern: '^[^\\u0000-\\u001f\\u007f]*$',
        description: 'Shown to all who read it',
      }),
    ),
  }),
  response: Schedule,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed],
});

/** `POST /sources/{source_id}/schedule/resume`: one that is not paused stays as it is. */
export const resumeSchedule = endpoint({
  id: 'sources.resume_schedule',
  method: 'POST',
  path: `${path}/resume`,
  summary: 'Resume the schedule of a source',
  description: 'Times that came while it was paused are not made up for.',
  access: writeSources,
  params,
  response: Schedule,
  errors: [kernelProblems.notFound, kernelProblems.preconditionFailed],
});

/** `POST /sources/{source_id}/schedule/trigger`: also while it is paused. */
export const triggerSchedule = endpoint({
  id: 'sources.trigger_schedule',
  method: 'POST',
  path: `${path}/trigger`,
  summary: 'Run the schedule of a source once, now, paused or not',
  description:
    'It is refused for what refuses POST /sources/{source_id}/sync, and never waits for a sync that runs. Send an Idempotency-Key to be sure of one run.',
  access: runSources,
  params,
  query: Closed({
    queue: Type.Optional(
      Type.Boolean({ description: 'Accept the run although no worker polls for it, and let it wait' }),
    ),
  }),
  response: Accepted,
  status: 202,
  location: '/sources/:source_id/sync/status?run_id=:run_id',
  errors: [
    kernelProblems.notFound,
    sourceProblems.sourceNotReady,
    sourceProblems.noStreamsEnabled,
    sourceProblems.streamNotSyncable,
    runProblems.runAlreadyActive,
    runProblems.noWorker,
  ],
  cli: 'sources schedule trigger',
});

const Moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

/** `GET /schedules` */
export const listSchedules = endpoint({
  id: 'sources.list_schedules',
  method: 'GET',
  path: '/schedules',
  summary: 'List the schedules of the sources, the one that runs next first',
  access: readSources,
  query: listQuery(['next_run_at', 'created_at'], {
    paused: Type.Optional(Type.Boolean()),
    source_id: Type.Optional(Id),
    next_run_before: Moment('Only those that run next before this'),
    next_run_after: Moment('Only those that run next at this or later'),
  }),
  response: Page(Schedule),
  errors: [kernelProblems.invalidPageToken],
  cli: {
    words: 'schedules list',
    columns: ['source_name', 'sentence', 'paused', 'next_run_at', 'next_runs.0.local', 'last_firings.0.status'],
  },
});
