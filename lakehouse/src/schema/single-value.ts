import { decodeUnscaled, encodeUnscaled } from './bounds.ts';
import { decimalShape, type PrimitiveType } from './types.ts';

const FLOATING: ReadonlySet<string> = new Set(['float', 'double']);
const INTEGRAL: ReadonlySet<string> = new Set(['int', 'long', 'date', 'time', 'timestamp', 'timestamptz']);

/** The integer that the single-value encoding of an `int`, `long`, `date` or time holds, in 4 or 8 bytes. */
export function decodeInteger(bytes: Buffer): bigint {
  return bytes.length === 4 ? BigInt(bytes.readInt32LE()) : bytes.readBigInt64LE();
}

/** The single-value encoding of an integer in a type's width; beyond it the number wraps. */
export function encodeInteger(type: PrimitiveType, value: bigint): Buffer {
  const wide = type !== 'int' && type !== 'date';
  const raw = Buffer.alloc(wide ? 8 : 4);
  if (wide) raw.writeBigInt64LE(BigInt.asIntN(64, value));
  else raw.writeInt32LE(Number(BigInt.asIntN(32, value)));
  return raw;
}

/** The number that the single-value encoding of a `float` or `double` holds. */
export function decodeFloating(bytes: Buffer): number {
  return bytes.length === 4 ? bytes.readFloatLE() : bytes.readDoubleLE();
}

/** Whether a value is NaN, which has no place in the order of its type. */
export function isNanValue(type: PrimitiveType, bytes: Buffer): boolean {
  return FLOATING.has(type) && Number.isNaN(decodeFloating(bytes));
}

/** Whether a type's values are integers in their single-value encoding. */
export function isIntegral(type: PrimitiveType): boolean {
  return INTEGRAL.has(type);
}

/** The order of two values of a type, neither of them NaN, in their single-value encoding; -0.0 comes before 0.0. */
export function compareValues(type: PrimitiveType, a: Buffer, b: Buffer): number {
  if (isIntegral(type)) return order(decodeInteger(a), decodeInteger(b));
  if (decimalShape(type)) return order(decodeUnscaled(a), decodeUnscaled(b));
  if (!FLOATING.has(type)) return Buffer.compare(a, b);
  const [left, right] = [decodeFloating(a), decodeFloating(b)];
  return left === 0 && right === 0 ? order(signOf(left), signOf(right)) : order(left, right);
}

/**
 * A value in the one encoding that values of a type have: numbers of a column that was `int`, `float` or a narrower
 * decimal when they were written become wide, so that equal values are equal bytes.
 */
export function promoteValue(type: PrimitiveType, bytes: Buffer): Buffer {
  if (isIntegral(type)) return encodeInteger(type, decodeInteger(bytes));
  if (decimalShape(type)) return encodeUnscaled(decodeUnscaled(bytes));
  if (type !== 'double' || bytes.length === 8) return bytes;
  const raw = Buffer.alloc(8);
  raw.writeDoubleLE(bytes.readFloatLE());
  return raw;
}

const signOf = (zero: number): number => (Object.is(zero, -0) ? -1 : 1);

function order<T extends bigint | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
