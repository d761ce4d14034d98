import { decimalShape, type PrimitiveType } from '../schema/types.ts';

const INTEGER_BITS: Readonly<Record<string, number>> = { int: 32, long: 64 };
const FLOATING = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const INFINITE = /^-?infinity$/i;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?$/;
const OFFSET = /^(?:Z|([+-])(\d\d):?(\d\d))$/;
/** Leading and trailing zeros are allowed, and not without end. */
const MAX_DECIMAL_LENGTH = 80;
const MINUTES_PER_HOUR = 60;
const MS_PER_MINUTE = 60_000;
const MAX_OFFSET_MINUTES = 18 * MINUTES_PER_HOUR;

/**
 * A value that a person wrote, in the one spelling that both DuckDB's cast to the type and `encodeBound` read; undefined
 * when the type has no such value. Nothing is rounded: a number out of range, or with more digits than the type keeps,
 * is no value of it. Dates are `YYYY-MM-DD`; a `timestamptz` needs an offset unless it is a date, which means its
 * midnight in UTC; a `timestamp` has none.
 */
export function conditionText(type: PrimitiveType, value: string): string | undefined {
  switch (type) {
    case 'boolean':
      return value === 'true' || value === 'false' ? value : undefined;
    case 'int':
    case 'long':
      return integerText(value, INTEGER_BITS[type] ?? 0);
    case 'float':
    case 'double':
      return floatingText(value, type);
    case 'date':
      return isDate(value) ? value : undefined;
    case 'time':
      return clockText(value);
    case 'timestamp':
    case 'timestamptz':
      return momentText(value, type === 'timestamptz');
    case 'string':
      return value;
    case 'uuid':
      return UUID.test(value) ? value.toLowerCase() : undefined;
    case 'binary':
      return undefined;
    default:
      return decimalText(value, type);
  }
}

function integerText(value: string, bits: number): string | undefined {
  if (!/^-?\d{1,20}$/.test(value)) return undefined;
  const number = BigInt(value);
  return BigInt.asIntN(bits, number) === number ? String(number) : undefined;
}

function floatingText(value: string, type: 'float' | 'double'): string | undefined {
  if (INFINITE.test(value)) return value.startsWith('-') ? '-Infinity' : 'Infinity';
  if (!FLOATING.test(value)) return undefined;
  const number = type === 'float' ? Math.fround(Number(value)) : Number(value);
  return Number.isFinite(number) ? String(number) : undefined;
}

function decimalText(value: string, type: string): string | undefined {
  const shape = decimalShape(type);
  const match = value.length > MAX_DECIMAL_LENGTH ? null : /^(-?)0*(\d+)(?:\.(\d+?)0*)?$/.exec(value);
  if (!shape || !match) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  const digits = whole === '0' ? 0 : whole.length;
  const kept = fraction === '0' ? '' : fraction;
  if (digits > shape.precision - shape.scale || kept.length > shape.scale) return undefined;
  return kept === '' ? `${sign}${whole}` : `${sign}${whole}.${kept}`;
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value) || value < '0001') return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

function clockText(value: string): string | undefined {
  const match = CLOCK.exec(value);
  if (!match) return undefined;
  const [, hour, minute, second = '00', fraction] = match;
  return `${hour}:${minute}:${second}${fraction === undefined ? '' : `.${fraction}`}`;
}

function momentText(value: string, zoned: boolean): string | undefined {
  const [, date = '', clock, offset] = /^(\d{4}-\d\d-\d\d)(?:T([\d:.]+)(.*))?$/.exec(value) ?? [];
  if (!isDate(date)) return undefined;
  const suffix = zoned ? '+00' : '';
  if (clock === undefined) return `${date} 00:00:00${suffix}`;
  const time = clockText(clock);
  const minutes = zoned ? offsetMinutes(offset ?? '') : offset === '' ? 0 : undefined;
  if (time === undefined || minutes === undefined) return undefined;
  const utc = new Date(Date.parse(`${date}T${time.slice(0, 5)}:00Z`) - minutes * MS_PER_MINUTE).toISOString();
  if (!isDate(utc.slice(0, 10))) return undefined;
  return `${utc.slice(0, 10)} ${utc.slice(11, 16)}${time.slice(5)}${suffix}`;
}

function offsetMinutes(text: string): number | undefined {
  const match = OFFSET.exec(text);
  if (!match) return undefined;
  const [, sign, hours = '0', minutes = '0'] = match;
  const total = Number(hours) * MINUTES_PER_HOUR + Number(minutes);
  if (Number(minutes) >= MINUTES_PER_HOUR || total > MAX_OFFSET_MINUTES) return undefined;
  return sign === '-' ? -total : total;
}
