import { LakehouseError } from '../error/error.ts';
import { decodeUnscaled, encodeUnscaled } from '../schema/bounds.ts';
import { decodeInteger, encodeInteger } from '../schema/single-value.ts';
import { decimalShape, type PrimitiveType } from '../schema/types.ts';
import { murmur3 } from './murmur3.ts';
import { canTransform } from './partition-by.ts';
import type { Transform } from './partition-spec.ts';
import { transformWidth } from './partition-type.ts';

const DAY_MICROS = 86_400_000_000n;
const HOUR_MICROS = 3_600_000_000n;
const DAY_MS = 86_400_000;
const EPOCH_YEAR = 1970;
const MONTHS = 12;

/** Division that rounds down, also below zero. */
const floorDivide = (value: bigint, by: bigint): bigint => (value - (((value % by) + by) % by)) / by;

/** The bytes that are hashed: every integer as 8 bytes, so that an `int` and the `long` of it share a bucket. */
function hashed(type: PrimitiveType, value: Buffer): Buffer {
  if (decimalShape(type)) return encodeUnscaled(decodeUnscaled(value));
  return INTEGERS.has(type) ? encodeInteger('long', decodeInteger(value)) : value;
}

const INTEGERS: ReadonlySet<string> = new Set(['int', 'long', 'date', 'time', 'timestamp', 'timestamptz']);

function truncated(type: PrimitiveType, value: Buffer, width: number): Buffer {
  const by = BigInt(width);
  if (decimalShape(type)) return encodeUnscaled(floorDivide(decodeUnscaled(value), by) * by);
  if (INTEGERS.has(type)) return encodeInteger(type, floorDivide(decodeInteger(value), by) * by);
  if (type === 'binary') return value.subarray(0, width);
  return Buffer.from(Array.from(value.toString('utf8')).slice(0, width).join(''));
}

/** Whole years, months, days or hours since 1970. */
function elapsed(unit: 'year' | 'month' | 'day' | 'hour', type: PrimitiveType, value: Buffer): bigint {
  const micros = type === 'date' ? decodeInteger(value) * DAY_MICROS : decodeInteger(value);
  if (unit === 'hour') return floorDivide(micros, HOUR_MICROS);
  const day = floorDivide(micros, DAY_MICROS);
  if (unit === 'day') return day;
  const { year, month } = calendar(day);
  return BigInt(unit === 'year' ? year - EPOCH_YEAR : (year - EPOCH_YEAR) * MONTHS + month);
}

// JavaScript's calendar ends 275,000 years from 1970, a 64-bit timestamp 292,000; 400 years have as many days each time.
const CYCLE_DAYS = 146_097n;
const CYCLE_YEARS = 400;

function calendar(day: bigint): { year: number; month: number } {
  const cycles = floorDivide(day, CYCLE_DAYS);
  const date = new Date(Number(day - cycles * CYCLE_DAYS) * DAY_MS);
  return { year: date.getUTCFullYear() + Number(cycles) * CYCLE_YEARS, month: date.getUTCMonth() };
}

/**
 * The partition value of a column's value, by the specification's transforms. Both are in the single-value encoding,
 * the result in that of `transformType`; null stays null. A type that the transform does not take is
 * `partition_invalid`. A truncation below the least `int` or `long` wraps, as in the reference implementation.
 */
export function applyTransform(transform: Transform, type: PrimitiveType, value: Buffer | null): Buffer | null {
  if (!canTransform(transform, type)) {
    throw new LakehouseError('partition_invalid', 'A type cannot be partitioned in this way');
  }
  if (value === null || transform === 'void') return null;
  if (transform === 'identity') return value;
  const buckets = transformWidth(transform, 'bucket');
  if (buckets !== undefined) return encodeInteger('int', BigInt((murmur3(hashed(type, value)) & 0x7fffffff) % buckets));
  const width = transformWidth(transform, 'truncate');
  if (width !== undefined) return truncated(type, value, width);
  return encodeInteger('int', elapsed(transform as 'year' | 'month' | 'day' | 'hour', type, value));
}
