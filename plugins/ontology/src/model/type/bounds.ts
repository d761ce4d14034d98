import type { ValueType } from '../../contract/documents.ts';

const INTEGER = /^-?(0|[1-9]\d*)$/;
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?$/;

/** What a bound or a value of an `enum` is, as it travels. */
const FORMS: Partial<Readonly<Record<ValueType, (value: string | number) => boolean>>> = {
  integer: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31,
  long: (value) => typeof value === 'string' && INTEGER.test(value),
  double: (value) => typeof value === 'number',
  decimal: (value) => typeof value === 'string' && DECIMAL.test(value),
  date: (value) => typeof value === 'string' && DATE.test(value),
  timestamp: (value) => typeof value === 'string' && TIMESTAMP.test(value),
  timestamptz: (value) => typeof value === 'string' && TIMESTAMP.test(value.slice(0, -1)) && value.endsWith('Z'),
};

/** Whether a value has the form of the type, which types without an order lack. */
export const isBound = (type: ValueType, value: string | number): boolean => FORMS[type]?.(value) === true;

/** Which of two bounds is larger, as `sort` wants it: numbers by what they are, times by their text. */
export function compareBounds(a: string | number, b: string | number): number {
  const [one, other] = [String(a), String(b)];
  if (!DECIMAL.test(one) || !DECIMAL.test(other)) {
    const [x, y] = [Number(one), Number(other)];
    if (Number.isFinite(x) && Number.isFinite(y)) return x - y;
    return one === other ? 0 : one < other ? -1 : 1;
  }
  const places = Math.max(fraction(one).length, fraction(other).length);
  const scaled = (text: string) => BigInt(text.split('.')[0] + fraction(text).padEnd(places, '0'));
  const [x, y] = [scaled(one), scaled(other)];
  return x === y ? 0 : x < y ? -1 : 1;
}

const fraction = (text: string): string => text.split('.')[1] ?? '';
