import type { Cron } from './cron.ts';

const MINUTES = 60;
const HOURS = 24;
/** As many evenly spaced values are listed rather than told as a step. */
const FEW = 4;
/** A run of as many values is told as a range. */
const RANGE = 3;

/**
 * The same times, written so that the words for each field are true by themselves: a step stands only where it comes
 * round evenly, as every 45 minutes of an hour do not; hours stand as ranges where more than one minute of them is
 * meant; and a day field that fits every day makes the other one say nothing, as either is enough.
 */
export function plainCron(cron: Cron): string {
  const { minutes, hours, months } = cron;
  const isHourly = minutes.length > 1;
  return [
    evenly(minutes, MINUTES, minutes[0] === 0 ? 1 : FEW) ?? ranges(minutes, RANGE),
    (isHourly ? everyOf(hours, HOURS) : evenly(hours, HOURS, FEW)) ?? hourField(hours, isHourly),
    ...dayFields(cron).toSpliced(1, 0, months.length === 12 ? '*' : ranges(months, RANGE)),
  ].join(' ');
}

/** Whether a schedule wants both day fields, either of which is enough. */
export function isEitherDay(cron: Cron): boolean {
  return dayFields(cron).every((field) => field !== '*');
}

/** Day of the month and weekday. */
function dayFields({ days, weekdays, anyDay, anyWeekday }: Cron): [string, string] {
  const month = days.length === 31 ? '*' : ranges(days, RANGE);
  const week = weekdays.length === 7 ? '*' : ranges(weekdays, RANGE);
  if (anyDay) return ['*', week];
  if (anyWeekday) return [month, '*'];
  return month === '*' || week === '*' ? ['*', '*'] : [month, week];
}

function hourField(hours: readonly number[], isHourly: boolean): string {
  if (isHourly) return ranges(hours, 1);
  const isOneRange = hours.length >= RANGE && (hours.at(-1) ?? 0) - (hours[0] ?? 0) === hours.length - 1;
  return isOneRange ? ranges(hours, RANGE) : hours.join(',');
}

const everyOf = (values: readonly number[], size: number) => (values.length === size ? '*' : undefined);

/** `*` for all, a step for more than `few` values that come round evenly, else undefined. */
function evenly(values: readonly number[], size: number, few: number): string | undefined {
  const step = size / values.length;
  const [first = 0] = values;
  if (step === 1) return '*';
  if (values.length <= few || values.some((value, at) => value !== first + at * step)) return undefined;
  return `${first === 0 ? '*' : first}/${step}`;
}

/** Values as a list in which runs of at least `least` of them are ranges. */
function ranges(values: readonly number[], least: number): string {
  const runs: number[][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run?.at(-1) === value - 1) run.push(value);
    else runs.push([value]);
  }
  return runs.map((run) => (run.length >= least ? `${run[0]}-${run.at(-1)}` : run.join(','))).join(',');
}
