import { type Civil, civilOf, floorDiv, type Instant, MICROS_PER_SECOND } from './instant.ts';

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const pad = (value: number, width = 2) => String(value).padStart(width, '0');

/**
 * A moment as text by a `strftime` format, in English, at its own offset. Whole formats of the reference interpreter
 * besides: `%s`, `%s_as_float`, `%ms`, `%epoch_microseconds`; and `%_ms` for three digits of a second. An unknown
 * directive stays as it is.
 */
export function formatTime(time: Instant, format: string): string {
  const { micros } = time;
  if (format === '%s') return String(floorDiv(micros, MICROS_PER_SECOND));
  if (format === '%s_as_float') return floatText(Number(micros) / 1e6);
  if (format === '%ms') return String(floorDiv(micros, 1000n));
  if (format === '%epoch_microseconds') return String(micros);
  const civil = civilOf(time);
  return format.replace(/%_ms|%[a-zA-Z%]/g, (directive) => partOf(directive, civil, time) ?? directive);
}

function floatText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function partOf(directive: string, civil: Civil, time: Instant): string | undefined {
  const { year, month, day, hour, minute, second, micro, weekday, yearDay } = civil;
  switch (directive) {
    case '%Y':
      return pad(year, 4);
    case '%y':
      return pad(year % 100);
    case '%m':
      return pad(month);
    case '%d':
      return pad(day);
    case '%H':
      return pad(hour);
    case '%I':
      return pad(hour % 12 || 12);
    case '%M':
      return pad(minute);
    case '%S':
      return pad(second);
    case '%f':
      return pad(micro, 6);
    case '%_ms':
      return pad(Math.floor(micro / 1000), 3);
    case '%j':
      return pad(yearDay, 3);
    case '%p':
      return hour < 12 ? 'AM' : 'PM';
    case '%%':
      return '%';
    default:
      return nameOf(directive, weekday, month) ?? composed(directive, civil, time);
  }
}

function nameOf(directive: string, weekday: number, month: number): string | undefined {
  const [dayName = '', monthName = ''] = [DAYS[weekday], MONTHS[month - 1]];
  const names: Record<string, string> = {
    '%A': dayName,
    '%a': dayName.slice(0, 3),
    '%B': monthName,
    '%b': monthName.slice(0, 3),
    '%w': String((weekday + 1) % 7),
    '%u': String(weekday + 1),
  };
  return names[directive];
}

function composed(directive: string, { year, month, day, hour, minute, second }: Civil, time: Instant) {
  const parts: Record<string, () => string> = {
    '%F': () => `${pad(year, 4)}-${pad(month)}-${pad(day)}`,
    '%T': () => `${pad(hour)}:${pad(minute)}:${pad(second)}`,
    '%z': () => offsetText(time.offset, ''),
    '%Z': () => (time.offset === 0 ? 'UTC' : `UTC${offsetText(time.offset, ':')}`),
    '%s': () => String(floorDiv(time.micros, MICROS_PER_SECOND)),
  };
  return parts[directive]?.();
}

/** An offset as `+hh:mm`, with seconds if it has any. */
export function offsetText(offset: number, separator: string): string {
  const size = Math.abs(offset);
  const seconds = size % 60 === 0 ? '' : `${separator}${pad(size % 60)}`;
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 3600))}${separator}${pad(Math.floor(size / 60) % 60)}${seconds}`;
}

/** A moment in ISO 8601 as Python prints it: a fraction only if there is one, always the offset. */
export function isoText(time: Instant, separator = 'T'): string {
  const fraction = civilOf(time).micro === 0 ? '' : formatTime(time, '.%f');
  return `${formatTime(time, `%F${separator}%T`)}${fraction}${offsetText(time.offset, ':')}`;
}
