import type { ClockChangeView, ScheduleTimesView } from '../contract.ts';
import { type Cron, fitsDate } from './cron.ts';
import { cronsOf } from './next-runs.ts';
import { type ClockShift, clockShifts } from './zone.ts';

const MINUTE_MS = 60_000;
const AHEAD_DAYS = 400;
const MAX_NAMED = 3;
const HOURS = 24;

/**
 * The changes of the clocks ahead that take away or double a run of a cron schedule. One that runs in every hour goes on
 * at its pace, so nothing is told of it; an interval takes no notice of clocks.
 */
export function clockChanges(times: ScheduleTimesView, from: Date): ClockChangeView[] {
  const crons = cronsOf(times).filter(({ hours }) => hours.length < HOURS);
  if (crons.length === 0) return [];
  const end = times.end_at === null ? Number.POSITIVE_INFINITY : Date.parse(times.end_at);
  const begin = Math.max(from.getTime(), times.start_at === null ? 0 : Date.parse(times.start_at));
  return clockShifts(times.timezone, from.getTime(), AHEAD_DAYS)
    .filter(({ at }) => at > begin && at <= end)
    .flatMap((shift) => {
      const walls = wallTimes(crons, shift);
      return walls.length === 0 ? [] : [told(times.timezone, shift, walls)];
    });
}

/** The times of the schedule that the clocks leave out, or show twice. */
function wallTimes(crons: readonly Cron[], { at, before, after }: ClockShift): string[] {
  const [from, to] = [at + Math.min(before, after) * MINUTE_MS, at + Math.max(before, after) * MINUTE_MS];
  const walls: string[] = [];
  for (let wall = from; wall < to; wall += MINUTE_MS) {
    const shown = new Date(wall);
    const [hour, minute] = [shown.getUTCHours(), shown.getUTCMinutes()];
    const isTime = (cron: Cron) => cron.hours.includes(hour) && cron.minutes.includes(minute) && fitsDate(cron, shown);
    if (crons.some(isTime)) walls.push(shown.toISOString().slice(11, 16));
  }
  return walls;
}

function told(zone: string, { at, before, after }: ClockShift, walls: readonly string[]): ClockChangeView {
  const effect = after > before ? 'skipped' : 'doubled';
  const clock = (offset: number) => new Date(at + offset * MINUTE_MS).toISOString();
  const named = walls.slice(0, MAX_NAMED);
  const what = `${named.join(', ')}${walls.length > MAX_NAMED ? ` and ${walls.length - MAX_NAMED} more` : ''}`;
  const [way, end] =
    effect === 'skipped' ? ['forward', 'not there, so nothing runs then'] : ['back', 'there twice, and runs twice'];
  const moved = `from ${clock(before).slice(11, 16)} to ${clock(after).slice(11, 16)}`;
  return {
    at: new Date(at).toISOString(),
    effect,
    wall_times: named,
    note: `On ${clock(before).slice(0, 10)} the clocks of ${zone} go ${way} ${moved}: ${what} is ${end}.`,
  };
}
