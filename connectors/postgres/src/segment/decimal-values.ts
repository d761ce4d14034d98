import { decimalShape, INT32_DIGITS, INT64_DIGITS, WIDE_BYTES } from '@weir/parquet';
import type { ColumnKind } from '../column-kind.ts';
import { markOdd } from './binary-block.ts';
import { type ColumnValues, fixedValues, type PutValues, type Source } from './fixed-values.ts';

/** A numeric in binary form: four numbers of 16 bits, then its digits, of which each counts to 10,000. */
const HEAD_BYTES = 8;
const GROUP_DIGITS = 4;
const GROUP = 10_000;
const NEGATIVE = 0x4000;
/** A sign with this bit says that the value is no finite number. */
const SPECIAL = 0x8000;
/** Decimals up to this length are whole numbers of a double, three digits too many included. */
const EXACT_DIGITS = 12;
const WORD = 2 ** 32;
/** Powers of ten, up to those that a small decimal is shifted by. */
const POWERS = Array.from({ length: 16 }, (_, digits) => 10 ** digits);

/** The values of a decimal column, by the length that its digits ask for. */
export function decimalValues(kind: ColumnKind): ColumnValues {
  const { precision, scale } = decimalShape(kind) ?? { precision: 0, scale: 0 };
  if (precision <= INT32_DIGITS) return fixedValues(4, shortDecimals(scale, 10 ** precision));
  if (precision <= EXACT_DIGITS) return fixedValues(8, exactDecimals(scale, 10 ** precision));
  const isNarrow = precision <= INT64_DIGITS;
  const put = wholeDecimals({ scale, beyond: 10n ** BigInt(precision), write: isNarrow ? putNarrow : putWide });
  return isNarrow ? fixedValues(8, put) : fixedValues(WIDE_BYTES, put);
}

/** Those of 32 bits, below `beyond`. */
function shortDecimals(scale: number, beyond: number): PutValues {
  return (to, rows, column) => {
    const { view, places, step, count } = rows;
    let { end } = to;
    for (let at = column; at < count * step; at += step) {
      if ((places[at + 1] as number) < 0) continue;
      const value = smallDecimal(view, places[at] as number, scale);
      // What is no number is in no range either.
      if (!(Math.abs(value) < beyond)) markOdd(rows, at);
      to.view.setInt32(end, value, true);
      end += 4;
    }
    return end;
  };
}

/** Those of 64 bits that are whole numbers of a double. */
function exactDecimals(scale: number, beyond: number): PutValues {
  return (to, rows, column) => {
    const { view, places, step, count } = rows;
    let { end } = to;
    for (let at = column; at < count * step; at += step) {
      if ((places[at + 1] as number) < 0) continue;
      const value = smallDecimal(view, places[at] as number, scale);
      if (!(Math.abs(value) < beyond)) markOdd(rows, at);
      const high = Math.floor(value / WORD);
      to.view.setUint32(end, value - high * WORD, true);
      to.view.setInt32(end + 4, high, true);
      end += 8;
    }
    return end;
  };
}

type WholeDecimals = {
  readonly scale: number;
  readonly beyond: bigint;
  /** Writes a value and gives where the next one begins. */
  readonly write: (to: DataView, at: number, value: bigint) => number;
};

function wholeDecimals({ scale, beyond, write }: WholeDecimals): PutValues {
  return (to, rows, column) => {
    const { view, places, step, count } = rows;
    let { end } = to;
    for (let at = column; at < count * step; at += step) {
      if ((places[at + 1] as number) < 0) continue;
      const value = decimalOf(view, places[at] as number, scale);
      const isHeld = value !== undefined && value < beyond && -value < beyond;
      if (!isHeld) markOdd(rows, at);
      end = write(to.view, end, isHeld ? value : 0n);
    }
    return end;
  };
}

function putNarrow(to: DataView, at: number, value: bigint): number {
  to.setBigInt64(at, value, true);
  return at + 8;
}

function putWide(to: DataView, at: number, value: bigint): number {
  to.setBigInt64(at, value >> 64n, false);
  to.setBigUint64(at + 8, BigInt.asUintN(64, value), false);
  return at + WIDE_BYTES;
}

/** A numeric times ten to the scale; NaN when that is no whole number. Exact for those of few digits. */
function smallDecimal(view: DataView, at: number, scale: number): number {
  const groups = view.getInt16(at);
  const sign = view.getUint16(at + 4);
  if ((sign & SPECIAL) !== 0) return Number.NaN;
  let value = 0;
  for (let place = 0; place < groups; place += 1) {
    value = value * GROUP + view.getInt16(at + HEAD_BYTES + 2 * place);
  }
  if (groups === 0) return 0;
  const shift = scale + GROUP_DIGITS * (view.getInt16(at + 2) - groups + 1);
  if (value > Number.MAX_SAFE_INTEGER) return Number.NaN;
  if (shift < 0) {
    const power = POWERS[-shift] ?? 10 ** -shift;
    const scaled = Math.trunc(value / power);
    // Exact where it is the same, as both are whole and below 2^53.
    if (scaled * power !== value) return Number.NaN;
    value = scaled;
  } else value *= POWERS[shift] ?? 10 ** shift;
  return sign === NEGATIVE && value !== 0 ? -value : value;
}

/** A numeric times ten to the scale; undefined when it is no finite number, or has digits behind the scale. */
function decimalOf(view: DataView, at: number, scale: number): bigint | undefined {
  const groups = view.getInt16(at);
  const sign = view.getUint16(at + 4);
  if ((sign & SPECIAL) !== 0) return undefined;
  let value = 0n;
  for (let place = 0; place < groups; place += 1) {
    value = value * BigInt(GROUP) + BigInt(view.getInt16(at + HEAD_BYTES + 2 * place));
  }
  const shift = scale + GROUP_DIGITS * (view.getInt16(at + 2) - groups + 1);
  const power = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && value % power !== 0n) return undefined;
  const scaled = shift < 0 ? value / power : value * power;
  return sign === NEGATIVE ? -scaled : scaled;
}

/** A numeric as Postgres prints it. */
export function decimalText(source: Source, at: number): string {
  const sign = source.view.getUint16(at + 4);
  if (sign === 0xd000) return 'Infinity';
  if (sign === 0xf000) return '-Infinity';
  const scale = source.view.getUint16(at + 6);
  const value = decimalOf(source.view, at, scale);
  if (value === undefined) return 'NaN';
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${value < 0n ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? '.' : ''}${digits.slice(point)}`;
}
