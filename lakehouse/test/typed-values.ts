import fc from 'fast-check';
import type { ConditionOp, PrimitiveType } from '../src/index.ts';

/** A value as rows show it, and by what it compares with others of its type; text by its code points. */
export type TypedValue = { readonly text: string; readonly key: bigint | number | string };

const iso = (micros: bigint): string => {
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  return new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, -1) + String(rest).padStart(3, '0');
};
const DAY = 86_400_000_000n;

/** Values that are often equal, and often far apart. */
const integers = (bits: number): fc.Arbitrary<bigint> => {
  const far = 2n ** BigInt(bits - 1);
  return fc.oneof(
    fc.bigInt({ min: -4n, max: 4n }),
    fc.constantFrom(-far, far - 1n),
    fc.bigInt({ min: -far, max: far - 1n }),
  );
};
const micros = fc.oneof(
  fc.bigInt({ min: -3n, max: 3n }),
  fc.bigInt({ min: -60_000_000_000_000_000n, max: 250_000_000_000_000_000n }),
);
const numbers = fc.oneof(
  fc.constantFrom(0, -0, 0.1, 1, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN),
  fc.double(),
);
const letters = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', '\uffff', '\u{1f600}', '\u{10ffff}', '%', "'"),
  maxLength: 20,
});
const texts = fc.oneof(
  letters,
  letters.map((text) => `aaaaaaaaaaaaaaaa${text}`),
  fc.constantFrom('', '\u{10ffff}'.repeat(17)),
);

const ofInteger = (arbitrary: fc.Arbitrary<bigint>) => arbitrary.map((key): TypedValue => ({ text: String(key), key }));
const ofNumber = (round: (value: number) => number) =>
  numbers.map((value): TypedValue => ({ text: String(round(value)), key: round(value) }));
const ofDecimal = (digits: number, scale: number) =>
  fc.bigInt({ min: -(10n ** BigInt(digits)) + 1n, max: 10n ** BigInt(digits) - 1n }).map((key): TypedValue => {
    const unsigned = String(key < 0n ? -key : key).padStart(scale + 1, '0');
    return { text: `${key < 0n ? '-' : ''}${unsigned.slice(0, -scale)}.${unsigned.slice(-scale)}`, key };
  });
const inDay = (value: bigint): bigint => ((value % DAY) + DAY) % DAY;

/** Values of every type that can be compared. */
export const VALUES: readonly (readonly [PrimitiveType, fc.Arbitrary<TypedValue>])[] = [
  ['boolean', fc.boolean().map((value) => ({ text: String(value), key: value ? 1n : 0n }))],
  ['int', ofInteger(integers(32))],
  ['long', ofInteger(integers(64))],
  ['float', ofNumber(Math.fround)],
  ['double', ofNumber((value) => value)],
  ['decimal(9, 2)', fc.oneof(ofDecimal(9, 2), ofDecimal(3, 2))],
  ['decimal(38, 10)', ofDecimal(38, 10)],
  ['date', micros.map((value) => ({ text: iso(value).slice(0, 10), key: iso(value).slice(0, 10) }))],
  ['time', micros.map((value) => ({ text: iso(inDay(value)).slice(11), key: inDay(value) }))],
  ['timestamp', micros.map((key) => ({ text: iso(key), key }))],
  ['timestamptz', micros.map((key) => ({ text: `${iso(key)}Z`, key }))],
  ['string', texts.map((text) => ({ text, key: text }))],
  ['uuid', fc.uuid().map((text) => ({ text, key: text }))],
];

const points = (text: string): number[] => Array.from(text, (point) => point.codePointAt(0) ?? 0);

/** The order of two values of one type: text by code points, NaN above all numbers, both zeros alike. */
export function compareValues(a: TypedValue, b: TypedValue): number {
  if (typeof a.key === 'string' && typeof b.key === 'string') {
    const [left, right] = [points(a.key), points(b.key)];
    const at = left.findIndex((point, place) => point !== right[place]);
    return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
  }
  if (Number.isNaN(a.key) || Number.isNaN(b.key)) return Number(Number.isNaN(a.key)) - Number(Number.isNaN(b.key));
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** Whether a value fits a comparison with a constant, by the words of `CONDITION_OPS`. */
export function fits(op: ConditionOp, value: TypedValue | null, constant: TypedValue): boolean {
  if (value === null) return op === 'is_null';
  if (op === 'is_null') return false;
  if (op === 'not_null') return true;
  if (Number.isNaN(value.key)) return op === 'ne';
  if (op === 'contains') return value.text.includes(constant.text);
  if (op === 'starts_with') return value.text.startsWith(constant.text);
  const order = compareValues(value, constant);
  return { eq: order === 0, ne: order !== 0, lt: order < 0, le: order <= 0, gt: order > 0, ge: order >= 0 }[op];
}
