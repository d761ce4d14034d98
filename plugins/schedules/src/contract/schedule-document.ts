import { type Static, Type } from '@sinclair/typebox';
import { Closed, type Endpoint, Nullable, OneOf, Problem } from '@weir/kernel/contract';
import type { ItemFault, Json, PlannedCall, Ref } from '@weir/plugin-apply/contract';
import { DEFAULT_CATCHUP_SECONDS, scheduleTimes } from '@weir/plugin-workflow-engine/contract';
import { OVERLAPS, type ScheduleFactsView } from './schedule.ts';
import type { SubjectSchedulesService } from './subjects.ts';

/** The schedule in a document: left out it stays as it is, null takes it away. */
export const ScheduleDocument = Nullable(
  Closed({
    ...scheduleTimes,
    overlap: Type.Optional(OneOf(OVERLAPS, { description: 'skip unless given' })),
    paused: Type.Optional(Type.Boolean({ description: 'false unless given' })),
  }),
);
type ScheduleSpec = Static<typeof ScheduleDocument>;

const DEFAULTS: Json = {
  cron: [],
  interval_seconds: null,
  offset_seconds: 0,
  timezone: 'UTC',
  jitter_seconds: 0,
  catchup_window_seconds: DEFAULT_CATCHUP_SECONDS,
  start_at: null,
  end_at: null,
  overlap: 'skip',
  paused: false,
};

/** A schedule as a document has it: what is as by default is left out. */
export function scheduleSpec(view: ScheduleFactsView): Json {
  const members = Object.entries(DEFAULTS).map(([name]) => [name, view[name as keyof ScheduleFactsView]] as const);
  const shown = members.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(DEFAULTS[name]));
  return Object.fromEntries(shown);
}

interface AskedSchedule {
  /** Of the document. */
  given: ScheduleSpec | undefined;
  /** As `scheduleSpec` wrote it. */
  standing: Json | undefined;
  params: Record<string, string | Ref>;
  allowDeprecate: boolean;
}

/** What a document wants of a schedule, and the calls for it. */
export function wantedSchedule(
  endpoints: Readonly<Record<'put' | 'remove' | 'pause' | 'resume', Endpoint>>,
  schedules: Pick<SubjectSchedulesService, 'times'>,
  { given, standing, params, allowDeprecate }: AskedSchedule,
) {
  const before = standing && { ...DEFAULTS, ...standing };
  if (given === undefined) return { faults: [], before, after: before, calls: [] };
  if (given === null) {
    const isRefused = before !== undefined && !allowDeprecate;
    const calls: PlannedCall[] = before === undefined ? [] : [{ endpoint: endpoints.remove, params }];
    return { faults: isRefused ? [WOULD_RETIRE] : [], before, after: undefined, calls };
  }
  // A time of it may have come since it was set: what is there is not checked again.
  if (before !== undefined && asText({ ...DEFAULTS, ...given }) === asText(before))
    return { faults: [], before, after: before, calls: [] };
  const { overlap = 'skip', paused = false, ...times } = given;
  const read = timesOf(schedules, times);
  if ('faults' in read) return { faults: read.faults, before, after: { ...DEFAULTS, ...given }, calls: [] };
  const after: Json = { ...read.times, overlap, paused };
  const isSame = before !== undefined && asText({ ...before, paused }) === asText(after);
  const put: PlannedCall = { endpoint: endpoints.put, params, body: { ...times, overlap } };
  const turn: PlannedCall = { endpoint: paused ? endpoints.pause : endpoints.resume, params };
  const isTurned = (before?.paused ?? false) !== paused;
  return { faults: [], before, after, calls: [...(isSame ? [] : [put]), ...(isTurned ? [turn] : [])] };
}

const WOULD_RETIRE: ItemFault = {
  code: 'would_retire',
  pointer: '/spec/schedule',
  detail: 'The schedule would be deleted; allow it with `allow_deprecate`.',
  conflict: true,
};

function timesOf(
  schedules: Pick<SubjectSchedulesService, 'times'>,
  given: Parameters<SubjectSchedulesService['times']>[0],
): { times: object } | { faults: ItemFault[] } {
  try {
    return { times: schedules.times(given) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message: detail, details } = error;
    const places = details.errors?.map(({ pointer }) => pointer) ?? [''];
    return { faults: places.map((place) => ({ code, pointer: `/spec/schedule${place}`, detail })) };
  }
}

const asText = (schedule: Json): string =>
  JSON.stringify(Object.entries(schedule).sort(([a], [b]) => (a < b ? -1 : 1)));
