import type { LiveFile } from '../manifest/live-file.ts';
import type { ColumnMap } from '../manifest/manifest.ts';
import { decodeUnscaled, encodeBound } from '../schema/bounds.ts';
import { decimalShape, type FieldType } from '../schema/types.ts';
import type { Condition } from './condition.ts';

/** A value by which bounds and constants of one type compare; all of a type are of one kind. */
export type Comparable = bigint | number | Buffer;

/**
 * Whether a file may hold a row that fits all conditions, by what its writer said of its columns. It answers true
 * whenever that does not rule every row out: figures that are missing or of another width than the type prune nothing.
 */
export function mayHold({ figures, recordCount }: LiveFile, conditions: readonly Condition[]): boolean {
  return conditions.every((condition) => {
    const { id, type } = condition.field;
    const nulls = figureOf(figures.nulls, id);
    if (condition.op === 'is_null') return nulls !== 0n;
    if (nulls !== undefined && nulls >= recordCount) return false;
    if (condition.text === undefined) return true;
    const lower = comparable(type, figureOf(figures.lower, id));
    const upper = comparable(type, figureOf(figures.upper, id));
    return mayCompare(condition, lower, upper);
  });
}

function mayCompare({ op, field, text = '' }: Condition, lower?: Comparable, upper?: Comparable): boolean {
  if (op === 'starts_with')
    return mayStart(Buffer.from(text), lower as Buffer | undefined, upper as Buffer | undefined);
  const wanted = comparable(field.type, constantBytes(field.type, text));
  if (wanted === undefined) return true;
  const [fromLower, fromUpper] = [order(wanted, lower), order(wanted, upper)];
  switch (op) {
    case 'eq':
      return !(fromLower < 0) && !(fromUpper > 0);
    case 'lt':
      return !(fromLower <= 0);
    case 'le':
      return !(fromLower < 0);
    case 'gt':
      return !(fromUpper >= 0);
    case 'ge':
      return !(fromUpper > 0);
    default:
      // What is not equal, or holds a text somewhere inside, bounds cannot tell: they may be cut short.
      return true;
  }
}

/** Below zero when `value` is less than `bound`; NaN, which no comparison passes, when there is no such bound. */
export function order(value: Comparable, bound: Comparable | undefined): number {
  if (bound === undefined) return Number.NaN;
  if (value instanceof Buffer) return Buffer.compare(value, bound as Buffer);
  return value < bound ? -1 : value > bound ? 1 : 0;
}

/** Whether a text between two bounds may begin with a prefix. */
export function mayStart(prefix: Buffer, lower: Buffer | undefined, upper: Buffer | undefined): boolean {
  if (upper !== undefined && Buffer.compare(upper, prefix) < 0) return false;
  return lower === undefined || Buffer.compare(lower.subarray(0, prefix.length), prefix) <= 0;
}

/** The constant of a condition in the single-value encoding. */
export function constantBytes(type: FieldType, text: string): Buffer | undefined {
  // An encoded bound of a text is cut to its length, the constant must not be.
  return type === 'string' ? Buffer.from(text) : encodeBound(type, text, 'lower');
}

/** A single-value encoding as something that compares; narrower ones are of files from before the type was widened. */
export function comparable(type: FieldType, bytes: Buffer | undefined): Comparable | undefined {
  if (bytes === undefined) return undefined;
  switch (type) {
    case 'boolean':
      return bytes.length === 1 ? BigInt(bytes[0] === 0 ? 0 : 1) : undefined;
    case 'int':
    case 'date':
      return bytes.length === 4 ? BigInt(bytes.readInt32LE()) : undefined;
    case 'long':
      return bytes.length === 4 ? BigInt(bytes.readInt32LE()) : int64(bytes);
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return int64(bytes);
    case 'float':
    case 'double': {
      const value = bytes.length === 8 ? bytes.readDoubleLE() : bytes.length === 4 ? bytes.readFloatLE() : Number.NaN;
      return Number.isNaN(value) ? undefined : value;
    }
    case 'string':
    case 'uuid':
      return bytes;
    default:
      return decimalShape(type as string) && bytes.length > 0 ? decodeUnscaled(bytes) : undefined;
  }
}

function int64(bytes: Buffer): bigint | undefined {
  return bytes.length === 8 ? bytes.readBigInt64LE() : undefined;
}

function figureOf<V extends bigint | Buffer>(figures: ColumnMap<V>, id: number): V | undefined {
  return figures?.find((figure) => figure.key === id)?.value;
}
