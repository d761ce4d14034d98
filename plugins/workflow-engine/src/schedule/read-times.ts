import { DEFAULT_CATCHUP_SECONDS, type ScheduleTimesBody, type ScheduleTimesView } from '../contract.ts';
import { parseCron } from './cron.ts';
import { nextInstants } from './next-runs.ts';
import { isZone } from './zone.ts';

interface Fault {
  pointer: string;
  code: string;
}

/** The engine reckons no further. */
const CALENDAR_END = Date.UTC(2100, 0);

/** What a request means, or the places and rules that it breaks. Pure. */
export function readTimes(given: ScheduleTimesBody, now: Date): { times: ScheduleTimesView } | { faults: Fault[] } {
  const { cron, interval_seconds, offset_seconds = 0, timezone = 'UTC', start_at, end_at } = given;
  const times: ScheduleTimesView = {
    cron: (cron ?? []).map((text) => text.trim().split(/\s+/).join(' ')),
    interval_seconds: interval_seconds ?? null,
    ...{ offset_seconds, timezone },
    jitter_seconds: given.jitter_seconds ?? 0,
    catchup_window_seconds: given.catchup_window_seconds ?? DEFAULT_CATCHUP_SECONDS,
    start_at: instantOf(start_at),
    end_at: instantOf(end_at),
  };
  const unread = (['start_at', 'end_at'] as const).filter((name) => given[name] !== undefined && times[name] === null);
  const faults = [
    ...unread.map((name) => ({ pointer: `/${name}`, code: 'no_such_time' })),
    ...kindFaults(given),
    ...windowFaults(times, now),
  ];
  if (!isZone(timezone)) return { faults: [...faults, { pointer: '/timezone', code: 'unknown_zone' }] };
  for (const [at, text] of times.cron.entries()) {
    const pointer = `/cron/${at}`;
    if (parseCron(text) === undefined) faults.push({ pointer, code: 'not_cron' });
    else if (neverRuns({ ...times, cron: [text] }, now)) faults.push({ pointer, code: 'never_runs' });
  }
  return faults.length > 0 ? { faults } : { times };
}

/** An instant in UTC; null when there is none, or none that any clock shows before the end of the engine's calendar. */
function instantOf(text: string | undefined): string | null {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return at >= 0 && at < CALENDAR_END ? new Date(at).toISOString() : null;
}

function kindFaults({ cron, interval_seconds: every, offset_seconds: offset = 0 }: ScheduleTimesBody): Fault[] {
  const faults: Fault[] = [];
  if (cron === undefined && every === undefined) faults.push({ pointer: '/cron', code: 'required' });
  if (cron !== undefined && every !== undefined) faults.push({ pointer: '/interval_seconds', code: 'not_with_cron' });
  if (offset > 0 && every === undefined) faults.push({ pointer: '/offset_seconds', code: 'needs_interval' });
  if (every !== undefined && offset >= every) faults.push({ pointer: '/offset_seconds', code: 'not_below_interval' });
  return faults;
}

function windowFaults({ start_at, end_at }: ScheduleTimesView, now: Date): Fault[] {
  if (end_at === null) return [];
  if (start_at !== null && end_at <= start_at) return [{ pointer: '/end_at', code: 'not_after_start' }];
  return Date.parse(end_at) <= now.getTime() ? [{ pointer: '/end_at', code: 'past' }] : [];
}

/** Such as the 31 February; a window that ends before the next run is somebody's wish. */
function neverRuns(times: ScheduleTimesView, now: Date): boolean {
  return nextInstants({ ...times, start_at: null, end_at: null, interval_seconds: null }, now, 1).length === 0;
}
