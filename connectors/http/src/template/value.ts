import { formatTime, isoText } from '../time/format-time.ts';
import { instant, isTime, KIND, MICROS_PER_SECOND, SECONDS_PER_DAY, type TimeValue } from '../time/instant.ts';
import { compareNumbers, doubleOf, type Exact, isExact, isNumeric } from './number.ts';

/** What a template works with: JSON with exact numbers, times, and the absence of a value. */
export type Value = null | boolean | number | string | Exact | TimeValue | Value[] | Dictionary | Missing;
export type Dictionary = { readonly [name: string]: Value };

/** A name that stands for nothing; reading on from it is an error, printing it gives nothing. */
export const MISSING: unique symbol = Symbol('missing');
export type Missing = typeof MISSING;

export function isDictionary(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value) && !isTime(value);
}

/** The own member of a dictionary; never anything that it inherits. */
export function member(of: Dictionary, name: string): Value {
  return Object.hasOwn(of, name) ? (of[name] as Value) : MISSING;
}

/** Truth as in Python: zero and all that is empty is false. */
export function isTrue(value: Value): boolean {
  if (value === MISSING || value === null || value === false || value === '') return false;
  if (isNumeric(value)) return doubleOf(value) !== 0;
  if (Array.isArray(value)) return value.length > 0;
  if (isTime(value)) return value[KIND] !== 'span' || value.micros !== 0n || value.months !== 0;
  return isDictionary(value) ? Object.keys(value).length > 0 : true;
}

export function areEqual(a: Value, b: Value): boolean {
  if (isNumeric(a) || isNumeric(b)) {
    const [x, y] = [asNumber(a), asNumber(b)];
    return isNumeric(x) && isNumeric(y) && compareNumbers(x, y) === 0;
  }
  if (isTime(a) || isTime(b)) return isTime(a) && isTime(b) && a[KIND] === b[KIND] && timeKey(a) === timeKey(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => areEqual(item, b[index] as Value));
  if (isDictionary(a) && isDictionary(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && areEqual(member(a, name), member(b, name)))
    );
  }
  return a === b;
}

/** Python counts false and true as 0 and 1. */
const asNumber = (value: Value): Value => (typeof value === 'boolean' ? Number(value) : value);

function timeKey(time: TimeValue): string {
  if (time[KIND] === 'day') return String(time.days);
  return time[KIND] === 'span' ? `${time.months} ${time.micros}` : String(time.micros);
}

/** -1, 0 or 1; undefined for values that have no order among each other. */
export function compareValues(a: Value, b: Value): number | undefined {
  const [x, y] = [asNumber(a), asNumber(b)];
  if (isNumeric(x) && isNumeric(y)) return compareNumbers(x, y);
  if (typeof x === 'string' && typeof y === 'string') return x < y ? -1 : x > y ? 1 : 0;
  if (isTime(x) && isTime(y) && x[KIND] === y[KIND]) {
    const [p, q] = [orderOf(x), orderOf(y)];
    return p < q ? -1 : p > q ? 1 : 0;
  }
  if (!Array.isArray(x) || !Array.isArray(y)) return undefined;
  for (let index = 0; index < Math.min(x.length, y.length); index += 1) {
    const order = compareValues(x[index] as Value, y[index] as Value);
    if (order !== 0) return order;
  }
  return Math.sign(x.length - y.length);
}

const orderOf = (time: TimeValue) => (time[KIND] === 'day' ? BigInt(time.days) : time.micros);

/** A value as text, as Python's `str` writes it. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === MISSING) return '';
  if (isTime(value)) return timeText(value);
  return reprOf(value);
}

/** A value as Python's `repr` writes it. */
export function reprOf(value: Value): string {
  if (value === MISSING) return 'Undefined';
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (isExact(value)) return value.rawJSON;
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(reprOf).join(', ')}]`;
  if (isTime(value)) return quoted(timeText(value));
  return `{${Object.entries(value)
    .map(([name, held]) => `${quoted(name)}: ${reprOf(held)}`)
    .join(', ')}}`;
}

function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };
  const body = text.replace(/[\\\x00-\x1f\x7f'"]/g, (letter) => {
    if (letter === "'" || letter === '"') return letter === mark ? `\\${letter}` : letter;
    return escapes[letter] ?? `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `${mark}${body}${mark}`;
}

function timeText(time: TimeValue): string {
  if (time[KIND] === 'instant') return isoText(time, ' ');
  if (time[KIND] === 'day') {
    return formatTime(instant(BigInt(time.days) * BigInt(SECONDS_PER_DAY) * MICROS_PER_SECOND), '%F');
  }
  const seconds = time.micros / MICROS_PER_SECOND;
  const days = seconds / 86_400n;
  const rest = Number(seconds - days * 86_400n);
  const two = (part: number) => String(part).padStart(2, '0');
  const clock = `${Math.floor(rest / 3600)}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
  return days === 0n ? clock : `${days} day${days === 1n || days === -1n ? '' : 's'}, ${clock}`;
}
