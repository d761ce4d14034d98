import type { Cron } from './cron.ts';
import { clockShifts, offsetAt } from './zone.ts';

/** How far ahead the clocks of a zone are looked at; the engine is given the offsets anew when others come up. */
const AHEAD_DAYS = 3 * 366;
const LONGEST_MONTH = 31;
const SHORTEST_MONTH = 28;
const ALL = { minutes: 60, hours: 24, days: 31, months: 12, weekdays: 7 } as const;

/**
 * Cron expressions in UTC that together hold every instant at which the clocks of a zone can show a time of one of
 * `crons`, and some more: one set for each offset that the zone has. The engine is not told of the zone, because it
 * loses runs where clocks go back east of Greenwich, and wants both the day of the month and the weekday where either
 * is enough.
 */
export function engineCrons(crons: readonly Cron[], zone: string, from: number): string[] {
  const shifts = clockShifts(zone, from, AHEAD_DAYS);
  const offsets = new Set([offsetAt(zone, from), ...shifts.flatMap(({ before, after }) => [before, after])]);
  const made = crons.flatMap((cron) => [...offsets].flatMap((offset) => inUtc(cron, offset)));
  return [...new Set(made)].sort();
}

/** The times of day that fall on the same date in UTC, or on the one before or after it (`days`). */
interface Group {
  days: number;
  hours: number[];
  minutes: number[];
}

function inUtc(cron: Cron, offset: number): string[] {
  const isAnyDate = cron.anyDay && cron.anyWeekday && cron.months.length === ALL.months;
  return groupsOf(cron, offset, isAnyDate).flatMap(({ days, hours, minutes }) =>
    datesOf(cron, days).map((date) => `${list(minutes, ALL.minutes)} ${list(hours, ALL.hours)} ${date}`),
  );
}

function groupsOf({ hours, minutes }: Cron, offset: number, isAnyDate: boolean): Group[] {
  const minuteOffset = ((offset % 60) + 60) % 60;
  const hourOffset = (offset - minuteOffset) / 60;
  const groups = new Map<string, Group>();
  for (const carry of [0, 1]) {
    const own = minutes.filter((minute) => minute < minuteOffset === (carry === 1));
    if (own.length === 0) continue;
    for (const hour of hours) {
      const shifted = hour - hourOffset - carry;
      const days = isAnyDate ? 0 : Math.floor(shifted / ALL.hours);
      const key = `${carry} ${days}`;
      const group = groups.get(key) ?? { days, hours: [], minutes: own.map((m) => (m - minuteOffset + 60) % 60) };
      group.hours.push((shifted + 2 * ALL.hours) % ALL.hours);
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

/** Day, month and weekday fields of the dates `shift` days away. Days at the end of a month may be more than there are. */
function datesOf(cron: Cron, shift: number): string[] {
  const shiftedMonths = shift === 0 ? cron.months : cron.months.flatMap((m) => [m, ((m - 1 + shift + 12) % 12) + 1]);
  const months = list(shiftedMonths, ALL.months);
  const days = list(
    cron.days.flatMap((day) => shiftDay(day, shift)),
    ALL.days,
  );
  const weekdays = list(
    cron.weekdays.map((day) => (day + shift + 7) % 7),
    ALL.weekdays,
  );
  if (cron.anyDay) return [`* ${months} ${cron.anyWeekday ? '*' : weekdays}`];
  return [`${days} ${months} *`, ...(cron.anyWeekday ? [] : [`* ${months} ${weekdays}`])];
}

function shiftDay(day: number, shift: number): number[] {
  if (shift === 0) return [day];
  if (shift < 0) return day > 1 ? [day - 1] : Array.from({ length: 4 }, (_, at) => SHORTEST_MONTH + at);
  return [...(day < LONGEST_MONTH ? [day + 1] : []), ...(day >= SHORTEST_MONTH ? [1] : [])];
}

function list(values: readonly number[], all: number): string {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  return distinct.length === all ? '*' : distinct.join(',');
}
