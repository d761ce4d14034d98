import type { SchedulesService, ScheduleTimesBody, ScheduleTimesView } from '@weir/plugin-workflow-engine/contract';
import { scheduleProblems, type TimesPreviewView } from '../contract.ts';

export const NEXT_RUNS = 5;
const MS_PER_SECOND = 1_000;
/** Runs whose distances are looked at, to see whether a schedule runs too often. */
const GAPS_SEEN = 100;

export interface TimesDeps {
  schedules: SchedulesService;
  /** Seconds that must lie between two runs. */
  minSeconds: number;
}

/** The times that a request asks for. Throws `schedule_invalid` by place and rule, and `schedule_too_frequent`. */
export function timesOf({ schedules, minSeconds }: TimesDeps, given: ScheduleTimesBody, now: Date): ScheduleTimesView {
  const read = schedules.readTimes(given, now);
  if ('faults' in read) throw scheduleProblems.scheduleInvalid({ errors: read.faults });
  const { times } = read;
  const runs = schedules
    .nextRuns({ ...times, start_at: null, end_at: null }, now, GAPS_SEEN)
    .map(({ at }) => Date.parse(at));
  const isTooClose = runs.some((at, i) => i > 0 && at - (runs[i - 1] ?? 0) < minSeconds * MS_PER_SECOND);
  if (isTooClose) throw scheduleProblems.scheduleTooFrequent({ values: { seconds: minSeconds } });
  return times;
}

/** What these times mean from now on. Throws as `timesOf` does. */
export function previewOf(deps: TimesDeps, given: ScheduleTimesBody): TimesPreviewView {
  const now = new Date();
  const times = timesOf(deps, given, now);
  const { schedules } = deps;
  return {
    ...times,
    sentence: schedules.sentence(times),
    next_runs: schedules.nextRuns(times, now, NEXT_RUNS),
    clock_changes: schedules.clockChanges(times, now),
  };
}
