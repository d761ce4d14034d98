import { dateOfDays, daysOfDate } from '@weir/connector-sdk';
import { MONTHS } from './format-time.ts';
import { type CivilTime, day, type Instant, instant, instantOf, type Span, span } from './instant.ts';

/** The longest text that is read as a time. */
const MAX_TEXT = 100;
type Parts = { -readonly [K in keyof CivilTime]?: number } & { offset?: number; pm?: boolean; hour12?: number };
type Directive = { readonly pattern: string; readonly take: (parts: Parts, text: string) => void };

const number = (pattern: string, name: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'): Directive => ({
  pattern,
  take: (parts, text) => {
    parts[name] = Number(text);
  },
});
const monthNames = MONTHS.map((name) => name.slice(0, 3).toLowerCase());
const monthName: Omit<Directive, 'pattern'> = {
  take: (parts, text) => {
    parts.month = monthNames.indexOf(text.slice(0, 3).toLowerCase()) + 1;
  },
};
const ignored = () => undefined;
const micros: Directive = {
  pattern: '\\d{1,6}',
  take: (parts, text) => {
    parts.micro = Number(text.padEnd(6, '0'));
  },
};
const DIRECTIVES: Readonly<Record<string, Directive>> = {
  '%Y': number('\\d{4}', 'year'),
  '%m': number('1[0-2]|0?[1-9]', 'month'),
  '%d': number('3[01]|[12]\\d|0?[1-9]', 'day'),
  '%H': number('2[0-3]|[01]?\\d', 'hour'),
  '%M': number('[0-5]?\\d', 'minute'),
  '%S': number('[0-5]?\\d', 'second'),
  '%f': micros,
  '%_ms': micros,
  '%b': { pattern: monthNames.join('|'), ...monthName },
  '%B': { pattern: MONTHS.join('|'), ...monthName },
  '%a': { pattern: '[A-Za-z]{3}', take: ignored },
  '%A': { pattern: '[A-Za-z]{6,9}', take: ignored },
  '%y': {
    pattern: '\\d{2}',
    take: (parts, text) => {
      parts.year = Number(text) + (Number(text) < 69 ? 2000 : 1900);
    },
  },
  '%j': {
    pattern: '\\d{1,3}',
    take: (parts, text) => {
      Object.assign(parts, dateOfDays(daysOfDate({ year: parts.year ?? 1900, month: 1, day: 1 }) + Number(text) - 1));
    },
  },
  '%I': {
    pattern: '1[0-2]|0?[1-9]',
    take: (parts, text) => {
      parts.hour12 = Number(text) % 12;
    },
  },
  '%p': {
    pattern: '[AaPp][Mm]',
    take: (parts, text) => {
      parts.pm = text.toLowerCase() === 'pm';
    },
  },
  '%z': {
    pattern: 'Z|[+-]\\d{2}:?\\d{2}(?::?\\d{2})?',
    take: (parts, text) => {
      parts.offset = offsetOf(text);
    },
  },
  '%Z': { pattern: 'UTC|GMT|Z', take: ignored },
};
const COMPOSED: Readonly<Record<string, string>> = { '%F': '%Y-%m-%d', '%T': '%H:%M:%S' };
const compiled = new Map<string, { pattern: RegExp; takes: Directive[] } | undefined>();

/**
 * The moment that a text gives by a `strptime` format, UTC unless the text says otherwise; the formats are those of
 * `formatTime`. Undefined when the text is not of the format. Digits past the microsecond are not of any format.
 */
export function parseTime(text: string, format: string): Instant | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const whole = /^\s*[+-]?\d+\s*$/.test(text);
  if (format === '%s') return whole ? instant(BigInt(text.trim()) * 1_000_000n) : undefined;
  if (format === '%ms') return whole ? instant(BigInt(text.trim()) * 1000n) : undefined;
  if (format === '%epoch_microseconds') return whole ? instant(BigInt(text.trim())) : undefined;
  if (format === '%s_as_float') return floatTime(text);
  const reader = readerOf(format);
  const match = reader?.pattern.exec(text);
  if (reader === undefined || !match) return undefined;
  const parts: Parts = {};
  reader.takes.forEach(({ take }, index) => {
    take(parts, match[index + 1] ?? '');
  });
  if (parts.hour12 !== undefined) parts.hour = parts.hour12 + (parts.pm === true ? 12 : 0);
  const { year = 1900, month = 1, day: dayOfMonth = 1, offset = 0, ...rest } = parts;
  return instantOf({ ...rest, year, month, day: dayOfMonth }, offset);
}

function floatTime(text: string): Instant | undefined {
  const match = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(text.trim());
  if (!match) return undefined;
  const [, sign, seconds = '0', fraction = ''] = match;
  const size = BigInt(seconds) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
  return instant(sign === '-' ? -size : size);
}

function readerOf(format: string) {
  if (compiled.has(format)) return compiled.get(format);
  const takes: Directive[] = [];
  const spelled = format.replace(/%[FT]/g, (directive) => COMPOSED[directive] ?? directive);
  let known = true;
  const source = spelled.split(/(%_ms|%.)/).map((piece) => {
    if (piece === '%%') return '%';
    const directive = Object.hasOwn(DIRECTIVES, piece) ? DIRECTIVES[piece] : undefined;
    if (directive === undefined) {
      known &&= !/^%./.test(piece);
      return piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+');
    }
    takes.push(directive);
    return `(${directive.pattern})`;
  });
  const reader = known ? { pattern: new RegExp(`^${source.join('')}$`, 'i'), takes } : undefined;
  compiled.set(format, reader);
  return reader;
}

function offsetOf(text: string): number {
  if (text === 'Z' || text === 'z') return 0;
  const digits = text.slice(1).replaceAll(':', '');
  const size = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4)) * 60 + Number(digits.slice(4, 6) || 0);
  return text[0] === '-' ? -size : size;
}

const ISO =
  /^(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** The moment of an ISO 8601 text, UTC unless it says otherwise. */
export function parseIso(text: string): Instant | undefined {
  const match = text.length > MAX_TEXT ? null : ISO.exec(text.trim());
  if (!match) return undefined;
  const [, year, month = '1', dayOfMonth = '1', hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] =
    match;
  const offset = offsetOf(zone.length === 3 ? `${zone}00` : zone);
  const micro = Number(fraction.slice(0, 6).padEnd(6, '0'));
  const date = { year: Number(year), month: Number(month), day: Number(dayOfMonth) };
  return instantOf({ ...date, hour: Number(hour), minute: Number(minute), second: Number(second), micro }, offset);
}

const DURATION =
  /^([+-])?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** An ISO 8601 duration; undefined for any other text. */
export function parseDuration(text: string): Span | undefined {
  const match = text.length > MAX_TEXT ? null : DURATION.exec(text.trim());
  if (!match || match.slice(2).every((part) => part === undefined)) return undefined;
  const [, sign, years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match;
  const inSeconds = [
    [weeks, 604_800],
    [days, 86_400],
    [hours, 3600],
    [minutes, 60],
    [seconds, 1],
  ] as const;
  const total = inSeconds.reduce((sum, [count, unit]) => sum + BigInt(Math.round(Number(count) * unit * 1e6)), 0n);
  const direction = sign === '-' ? -1 : 1;
  return span(BigInt(direction) * total, direction * (Number(years) * 12 + Number(months)));
}

/** The day on which a moment lies at its own offset. */
export function dayOf({ micros, offset }: Instant) {
  return day(Math.floor((Number(micros / 1_000_000n) + offset) / 86_400));
}
