import { dateOfDays, daysOfDate } from '@weir/connector-sdk';

/** Postgres counts days and microseconds from the first of January 2000. */
const DAYS_1970_TO_2000 = 10_957;
const MICROS_PER_SECOND = 1_000_000n;
const MICROS_PER_DAY = 86_400n * MICROS_PER_SECOND;
export const MICROS_1970_TO_2000: bigint = BigInt(DAYS_1970_TO_2000) * MICROS_PER_DAY;
/** The first day of our calendar. */
const FIRST_DAY = daysOfDate({ year: 1, month: 1, day: 1 });
/** The first day of a year that 64 bits of microseconds do not hold whole. */
const DAY_BEYOND = daysOfDate({ year: 294_247, month: 1, day: 1 });
const [DATE_INFINITY, DATE_MINUS_INFINITY] = [2 ** 31 - 1 + DAYS_1970_TO_2000, -(2 ** 31) + DAYS_1970_TO_2000] as const;
const [INFINITY, MINUS_INFINITY] = [2n ** 63n - 1n, -(2n ** 63n)] as const;

/** Days since 1970 of a date in binary form; its infinities become numbers that no date has. */
export function dateOf(days: number): number {
  return days + DAYS_1970_TO_2000;
}

/** Whether a table's date holds days since 1970: no infinity, and none before Christ. */
export function isHeldDate(days: number): boolean {
  return days >= FIRST_DAY && days !== DATE_INFINITY;
}

/** Whether a table's time stamp holds a moment in binary form: as for a date, and not behind what 64 bits hold. */
export function isHeldMoment(micros: bigint): boolean {
  const since1970 = micros + MICROS_1970_TO_2000;
  return since1970 >= BigInt(FIRST_DAY) * MICROS_PER_DAY && since1970 < BigInt(DAY_BEYOND) * MICROS_PER_DAY;
}

/** A date as Postgres prints it. */
export function dateText(binary: number): string {
  const days = dateOf(binary);
  if (days === DATE_INFINITY) return 'infinity';
  if (days === DATE_MINUS_INFINITY) return '-infinity';
  const { text, era } = calendarDay(days);
  return `${text}${era}`;
}

/** A time stamp as Postgres prints it in UTC, `zone` behind its time. */
export function momentText(binary: bigint, zone: '' | '+00'): string {
  if (binary === INFINITY) return 'infinity';
  if (binary === MINUS_INFINITY) return '-infinity';
  const micros = binary + MICROS_1970_TO_2000;
  const ofDay = ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY;
  const { text, era } = calendarDay(Number((micros - ofDay) / MICROS_PER_DAY));
  return `${text} ${timeText(ofDay)}${zone}${era}`;
}

/** A time of day as Postgres prints it, from its microseconds. */
export function timeText(micros: bigint): string {
  const seconds = Number(micros / MICROS_PER_SECOND);
  const fraction = String(micros % MICROS_PER_SECOND)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) =>
    padded(part, 2),
  );
  return `${clock.join(':')}${fraction === '' ? '' : `.${fraction}`}`;
}

const padded = (value: number, length: number): string => String(value).padStart(length, '0');

/** A day, by its number since 1970, as Postgres prints it: it has no year 0. */
function calendarDay(days: number): { readonly text: string; readonly era: '' | ' BC' } {
  const { year, month, day } = dateOfDays(days);
  const isBefore = year < 1;
  const parts = [padded(isBefore ? 1 - year : year, 4), padded(month, 2), padded(day, 2)];
  return { text: parts.join('-'), era: isBefore ? ' BC' : '' };
}
