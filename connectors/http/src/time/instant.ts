import { type CalendarDate, dateOfDays, daysOfDate } from '@weir/connector-sdk';

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
export type Civil = CalendarDate & {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly micro: number;
  readonly weekday: number;
  readonly yearDay: number;
};

export function civilOf({ micros, offset }: Instant): Civil {
  const local = micros + BigInt(offset) * MICROS_PER_SECOND;
  const days = Number(floorDiv(local, MICROS_PER_DAY));
  const rest = local - BigInt(days) * MICROS_PER_DAY;
  const seconds = Number(rest / MICROS_PER_SECOND);
  const date = dateOfDays(days);
  return {
    ...date,
    hour: Math.floor(seconds / 3600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
    micro: Number(rest % MICROS_PER_SECOND),
    weekday: (((days + 3) % 7) + 7) % 7,
    yearDay: days - daysOfDate({ year: date.year, month: 1, day: 1 }) + 1,
  };
}

export type CivilTime = CalendarDate & Partial<Civil>;

/** The moment of a wall clock at an offset. Undefined when there is no such date or time. */
export function instantOf(civil: CivilTime, offset = 0): Instant | undefined {
  const { year, month, day: dayOfMonth, hour = 0, minute = 0, second = 0, micro = 0 } = civil;
  if (month < 1 || month > 12 || dayOfMonth < 1 || dayOfMonth > lastDayOf(year, month)) return undefined;
  if (year < 1 || year > 9999 || hour > 23 || minute > 59 || second > 59) return undefined;
  const seconds =
    daysOfDate({ year, month, day: dayOfMonth }) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second - offset;
  return instant(BigInt(seconds) * MICROS_PER_SECOND + BigInt(micro), offset);
}

export function lastDayOf(year: number, month: number): number {
  const next = month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 };
  return daysOfDate({ ...next, day: 1 }) - daysOfDate({ year, month, day: 1 });
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
