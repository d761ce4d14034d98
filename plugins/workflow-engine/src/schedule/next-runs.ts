import type { NextRunView, ScheduleTimesView } from '../contract.ts';
import { type Cron, fitsDate, parseCron } from './cron.ts';
import { offsetAt, wallClock } from './zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** A 29 February comes within this, over the century that has none as well. */
const HORIZON_DAYS = 8 * 366 + 1;
/** Beyond these a local day of no zone begins or ends. */
const EARLIEST_MS = 14 * HOUR_MS;
const LATEST_MS = 38 * HOUR_MS;

/** The expressions of a schedule, all of which must be such. */
export function cronsOf({ cron }: Pick<ScheduleTimesView, 'cron'>): Cron[] {
  return cron.flatMap((text) => parseCron(text) ?? []);
}

/**
 * The instants after `after`, at most `count`. A cron schedule runs whenever the clocks of its zone show one of its
 * times: a time that is skipped when they go forward does not come, one that comes twice when they go back runs twice.
 */
export function nextInstants(times: ScheduleTimesView, after: Date, count: number): Date[] {
  const start = times.start_at === null ? Number.NEGATIVE_INFINITY : Date.parse(times.start_at) - 1;
  const end = times.end_at === null ? Number.POSITIVE_INFINITY : Date.parse(times.end_at);
  const from = Math.max(after.getTime(), start);
  const found: Date[] = [];
  const source =
    times.interval_seconds === null ? cronInstants(cronsOf(times), times.timezone, from) : steps(times, from);
  for (const at of source) {
    if (at > end || found.length === count) break;
    found.push(new Date(at));
  }
  return found;
}

/** The same with what the clocks of the zone show. */
export function nextRuns(times: ScheduleTimesView, after: Date, count: number): NextRunView[] {
  return nextInstants(times, after, count).map((at) => ({
    at: at.toISOString(),
    local: localTime(times.timezone, at),
  }));
}

/** Whether an instant is one of the schedule's. */
export function isDue(times: ScheduleTimesView, at: Date): boolean {
  return nextInstants(times, new Date(at.getTime() - 1), 1)[0]?.getTime() === at.getTime();
}

/** An instant as the clocks of a zone show it, with their offset: `2026-11-22T06:00:00+02:00`. */
export function localTime(zone: string, at: Date): string {
  const offset = offsetAt(zone, at.getTime());
  const shown = new Date(at.getTime() + offset * MINUTE_MS).toISOString().slice(0, 19);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${shown}${offset < 0 ? '-' : '+'}${pad(hours)}:${pad(minutes)}`;
}

const pad = (value: number) => String(value).padStart(2, '0');

function* steps({ interval_seconds, offset_seconds }: ScheduleTimesView, from: number): Generator<number> {
  const every = (interval_seconds ?? 1) * 1_000;
  const offset = offset_seconds * 1_000;
  for (let at = Math.floor((from - offset) / every) * every + offset + every; ; at += every) yield at;
}

/** Day by day: within a day the instants are sorted, and no instant of a day is before one of the day before. */
function* cronInstants(crons: readonly Cron[], zone: string, from: number): Generator<number> {
  const firstDay = Math.floor(wallClock(zone, from) / DAY_MS) * DAY_MS;
  for (let day = firstDay, seen = 0; seen < HORIZON_DAYS; day += DAY_MS, seen += 1) {
    const due = crons.filter((cron) => fitsDate(cron, new Date(day)));
    if (due.length === 0) continue;
    const [early, late] = [offsetAt(zone, day - EARLIEST_MS), offsetAt(zone, day + LATEST_MS)];
    const walls = new Set(due.flatMap(({ hours, minutes }) => hours.flatMap((h) => minutes.map((m) => h * 60 + m))));
    const instants = new Set<number>();
    for (const offset of new Set([early, late]))
      for (const wall of walls) {
        const at = day + (wall - offset) * MINUTE_MS;
        if (at > from && (early === late || offsetAt(zone, at) === offset)) instants.add(at);
      }
    yield* [...instants].sort((a, b) => a - b);
  }
}
