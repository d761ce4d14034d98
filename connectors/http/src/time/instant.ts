/** Marks values of time among the plain values of JSON. */
export const KIND: unique symbol = Symbol('kind');

/** A moment, in microseconds since 1970 UTC, with the offset, in seconds east of UTC, that it was written with. */
export type Instant = { readonly [KIND]: 'instant'; readonly micros: bigint; readonly offset: number };
/** A day without a time, in days since 1970-01-01. */
export type Day = { readonly [KIND]: 'day'; readonly days: number };
/** A length of time: calendar months, and microseconds beside them. */
export type Span = { readonly [KIND]: 'span'; readonly months: number; readonly micros: bigint };
export type TimeValue = Instant | Day | Span;

export const MICROS_PER_SECOND = 1_000_000n;
export const SECONDS_PER_DAY = 86_400;
const MICROS_PER_DAY = BigInt(SECONDS_PER_DAY) * MICROS_PER_SECOND;

export const instant = (micros: bigint, offset = 0): Instant => ({ [KIND]: 'instant', micros, offset });
export const day = (days: number): Day => ({ [KIND]: 'day', days });
export const span = (micros: bigint, months = 0): Span => ({ [KIND]: 'span', months, micros });

export function isTime(value: unknown): value is TimeValue {
  return typeof value === 'object' && value !== null && KIND in value;
}

/** The parts of a moment as a wall clock at its offset shows them; `weekday` 0 is Monday. */
export type Civil = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly micro: number;
  readonly weekday: number;
  readonly yearDay: number;
};

/** Days since 1970-01-01 of a date of the proleptic Gregorian calendar (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
export function daysOf(year: number, month: number, dayOfMonth: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + dayOfMonth - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

/** The date of a day, the inverse of `daysOf`, by the same source. */
export function dateOf(days: number): { year: number; month: number; day: number } {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted + (shifted < 10 ? 3 : -9);
  const dayOfMonth = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day: dayOfMonth };
}

export function civilOf({ micros, offset }: Instant): Civil {
  const local = micros + BigInt(offset) * MICROS_PER_SECOND;
  const days = Number(floorDiv(local, MICROS_PER_DAY));
  const rest = local - BigInt(days) * MICROS_PER_DAY;
  const seconds = Number(rest / MICROS_PER_SECOND);
  const date = dateOf(days);
  return {
    ...date,
    hour: Math.floor(seconds / 3600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
    micro: Number(rest % MICROS_PER_SECOND),
    weekday: (((days + 3) % 7) + 7) % 7,
    yearDay: days - daysOf(date.year, 1, 1) + 1,
  };
}

export type CivilTime = Pick<Civil, 'year' | 'month' | 'day'> & Partial<Civil>;

/** The moment of a wall clock at an offset. Undefined when there is no such date or time. */
export function instantOf(civil: CivilTime, offset = 0): Instant | undefined {
  const { year, month, day: dayOfMonth, hour = 0, minute = 0, second = 0, micro = 0 } = civil;
  if (month < 1 || month > 12 || dayOfMonth < 1 || dayOfMonth > lastDayOf(year, month)) return undefined;
  if (year < 1 || year > 9999 || hour > 23 || minute > 59 || second > 59) return undefined;
  const seconds = daysOf(year, month, dayOfMonth) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second - offset;
  return instant(BigInt(seconds) * MICROS_PER_SECOND + BigInt(micro), offset);
}

export function lastDayOf(year: number, month: number): number {
  return daysOf(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1) - daysOf(year, month, 1);
}

/** A moment moved by a span, `sign` times: months by the calendar, the day held within its month; then the rest. */
export function moved(from: Instant, { months, micros }: Span, sign: 1 | -1): Instant {
  const step = BigInt(sign) * micros;
  if (months === 0) return instant(from.micros + step, from.offset);
  const civil = civilOf(from);
  const count = civil.year * 12 + civil.month - 1 + sign * months;
  const [year, month] = [Math.floor(count / 12), (count % 12) + 1];
  const at = instantOf({ ...civil, year, month, day: Math.min(civil.day, lastDayOf(year, month)) }, from.offset);
  return instant((at ?? from).micros + step, from.offset);
}

export function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** Now, to the millisecond. */
export const now = (): Instant => instant(BigInt(Date.now()) * 1000n);
