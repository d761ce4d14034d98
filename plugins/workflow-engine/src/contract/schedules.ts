import { type Static, Type } from '@sinclair/typebox';
import { Closed, Nullable, service, Timestamp } from '@weir/kernel/contract';

/** Cron expressions of one schedule. */
const MAX_CRONS = 10;
const MAX_CRON_LENGTH = 120;
const DAY_SECONDS = 86_400;
/** The engine itself catches up on nothing younger than this. */
const MIN_CATCHUP_SECONDS = 10;
export const DEFAULT_CATCHUP_SECONDS = 3_600;

const Instant = Type.String({ format: 'date-time', description: 'ISO 8601 with an offset' });

/** When a schedule runs, as a request says it; `readTimes` says which rules it must keep beyond this form. */
export const scheduleTimes = {
  cron: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_CRON_LENGTH }), {
      minItems: 1,
      maxItems: MAX_CRONS,
      description:
        'Five fields each: minute, hour, day of month, month, day of week, with *, lists, ranges, steps and English names. Day of month and day of week, when both are given, mean either',
    }),
  ),
  interval_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 366 * DAY_SECONDS,
      description: 'In place of cron: every so often, as counted from 1970',
    }),
  ),
  offset_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 366 * DAY_SECONDS,
      description: 'How much later than that count; 0 unless given',
    }),
  ),
  timezone: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'IANA name, such as Europe/Kyiv; UTC unless given' }),
  ),
  jitter_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: DAY_SECONDS,
      description: 'Each run comes up to so much later; 0 unless given',
    }),
  ),
  catchup_window_seconds: Type.Optional(
    Type.Integer({
      minimum: MIN_CATCHUP_SECONDS,
      maximum: 366 * DAY_SECONDS,
      description: `A run that could not begin in its time is made up for no later than this; ${DEFAULT_CATCHUP_SECONDS} unless given`,
    }),
  ),
  start_at: Type.Optional(Instant),
  end_at: Type.Optional(Instant),
};
export type ScheduleTimesBody = Static<ReturnType<typeof timesBody>>;
const timesBody = () => Closed(scheduleTimes);

/** When a schedule runs, with everything decided. */
export const ScheduleTimes = Type.Object({
  cron: Type.Array(Type.String(), { description: 'Empty for an interval' }),
  interval_seconds: Nullable(Type.Integer()),
  offset_seconds: Type.Integer(),
  timezone: Type.String(),
  jitter_seconds: Type.Integer(),
  catchup_window_seconds: Type.Integer(),
  start_at: Nullable(Timestamp),
  end_at: Nullable(Timestamp),
});
export type ScheduleTimesView = Static<typeof ScheduleTimes>;

/** One run that is to come. */
export const NextRun = Type.Object({
  at: Timestamp,
  local: Type.String({ description: 'The same instant by the clocks of the zone of the schedule, with their offset' }),
});
export type NextRunView = Static<typeof NextRun>;

/** A day on which the clocks of the zone change what a schedule does. */
export const ClockChange = Type.Object({
  at: Timestamp,
  effect: Type.Union([Type.Literal('skipped'), Type.Literal('doubled')]),
  wall_times: Type.Array(Type.String(), { description: 'Such as 02:30; the first few' }),
  note: Type.String(),
});
export type ClockChangeView = Static<typeof ClockChange>;

/** A schedule as the engine is to have it. It starts a small workflow at each time. */
export interface EngineSchedule {
  /** `<tenant_id>:schedule:<subject_id>`; each workflow is named by it and its time. */
  scheduleId: string;
  times: ScheduleTimesView;
  /** The reason of a pause; undefined while it is not paused. */
  paused: string | undefined;
  workflowType: string;
  /** Worker role whose queue takes the workflows. */
  role: string;
  args: readonly unknown[];
  /** A time while the workflow of another is open comes to nothing; without it each has its own. */
  alone?: true;
}

/**
 * Schedules over the workflow engine, for whichever plugin has things that run by the clock. The rule of what a time is
 * lives here and not in the engine: it is asked for every instant that may be one, and whoever it starts asks `isDue`.
 */
export interface SchedulesService {
  /** What a request means; the places and rules that it breaks instead, when it breaks any. */
  readTimes(
    given: ScheduleTimesBody,
    now: Date,
  ): { times: ScheduleTimesView } | { faults: { pointer: string; code: string }[] };
  /** The first `count` instants after `after`; fewer when the schedule ends. Without jitter. */
  nextRuns(times: ScheduleTimesView, after: Date, count: number): NextRunView[];
  /** Whether an instant is one of the schedule's. */
  isDue(times: ScheduleTimesView, at: Date): boolean;
  /** The changes of the clocks in the year to come that take a run away or double it. */
  clockChanges(times: ScheduleTimesView, from: Date): ClockChangeView[];
  /** The schedule in words. */
  sentence(times: ScheduleTimesView): string;
  /** A digest of what `put` would write. */
  digest(schedule: EngineSchedule): string;
  /** Makes the schedule in the engine what it is to be; answers a mark that any later change of it there replaces. */
  put(schedule: EngineSchedule): Promise<{ mark: string }>;
  /** The mark of what the engine has; undefined when it has no such schedule. */
  mark(scheduleId: string): Promise<string | undefined>;
  /** Takes the schedule out of the engine; one that is not there stays so. */
  remove(scheduleId: string): Promise<void>;
  /** The ids of the schedules in the engine that start this type of workflow; the newest may be missing for a moment. */
  list(workflowType: string): Promise<string[]>;
}

/** The token of the service. */
export const Schedules = service<SchedulesService>('workflow-engine.schedules@1');
