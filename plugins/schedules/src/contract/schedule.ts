import { type Static, type TObject, type TString, Type } from '@sinclair/typebox';
import { Id, NextSteps, Nullable, OneOf, RUN_STATUSES, Timestamp } from '@weir/kernel/contract';
import { ClockChange, NextRun, ScheduleTimes } from '@weir/plugin-workflow-engine/contract';

/** What a time does that comes while a run of the same subject is open: it is left out, or one of them waits for its end. */
export const OVERLAPS = ['skip', 'buffer_one'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** What has become of one time of a schedule: the status of its run, or why there is none. */
export const FIRING_STATUSES = [...RUN_STATUSES, 'waiting'] as const;

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
      { code: Type.String(), detail: Type.String(), hint: Nullable(Type.String()), next: NextSteps },
      { description: 'Why it was skipped, waits or has failed' },
    ),
  ),
});
export type FiringView = Static<typeof Firing>;

/** A schedule without what it runs. */
export const ScheduleFacts = Type.Object({
  ...ScheduleTimes.properties,
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
  applied: Type.Boolean({ description: 'Whether the workflow engine has this version of the schedule' }),
  last_firings: Type.Array(Firing, { description: 'The newest ten, newest first' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  updated_by: Type.String(),
  etag: Type.String(),
});
export type ScheduleFactsView = Static<typeof ScheduleFacts>;

type Facts = (typeof ScheduleFacts)['properties'];

/** A kind as its parameters and members begin: `backing-dataset` as `backing_dataset`. */
export type KindWord<K extends string> = K extends `${infer First}-${infer Rest}` ? `${First}_${KindWord<Rest>}` : K;
export const kindWord = <K extends string>(kind: K) => kind.replaceAll('-', '_') as KindWord<K>;

/** The schedule of a subject of this kind: `source` gives `source_id` and `source_name`. */
export type SubjectSchedule<K extends string> = TObject<
  Record<`${KindWord<K>}_id`, typeof Id> & Record<`${KindWord<K>}_name`, TString> & Facts
>;

/** Its schema. */
export const subjectSchedule = <K extends string>(kind: K): SubjectSchedule<K> =>
  Type.Object({
    [`${kindWord(kind)}_id`]: Id,
    [`${kindWord(kind)}_name`]: Type.String(),
    ...ScheduleFacts.properties,
  }) as unknown as SubjectSchedule<K>;
