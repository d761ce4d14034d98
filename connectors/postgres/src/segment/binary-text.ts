import type { ColumnKind } from '../column-kind.ts';
import { dateText, momentText, timeText } from './binary-time.ts';
import { decimalText } from './decimal-values.ts';
import type { Source } from './fixed-values.ts';

/** The most digits that a number of 32 bits needs to be told from its neighbours. */
const FLOAT_DIGITS = 9;
/** After the point, as many as can be asked for: the middle between two texts of nine digits has ten. */
const EXACT_DIGITS = 100;

/**
 * The text of a value in binary form: what Postgres prints, but for the exponents of floating numbers, which are those of
 * JavaScript; they name the same numbers.
 */
export function binaryText(kind: ColumnKind, isJsonb: boolean, source: Source, at: number, length: number): string {
  const { bytes, view } = source;
  switch (kind) {
    case 'boolean':
      return bytes[at] === 0 ? 'f' : 't';
    case 'int':
      return String(length === 2 ? view.getInt16(at) : view.getInt32(at));
    case 'long':
      return String(length === 4 ? view.getUint32(at) : view.getBigInt64(at));
    case 'float':
      return floatText(view.getFloat32(at));
    case 'double':
      return numberText(view.getFloat64(at));
    case 'date':
      return dateText(view.getInt32(at));
    case 'time':
      return timeText(view.getBigInt64(at));
    case 'timestamp':
      return momentText(view.getBigInt64(at), '');
    case 'timestamptz':
      return momentText(view.getBigInt64(at), '+00');
    case 'uuid':
      return bytes.toString('hex', at, at + length).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    case 'binary':
      return `\\x${bytes.toString('hex', at, at + length)}`;
    case 'json':
    case 'text':
      return bytes.toString('utf8', isJsonb ? at + 1 : at, at + length);
    default:
      return decimalText(source, at);
  }
}

const numberText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

/** The shortest text that names a number of 32 bits. As in Postgres, none that is as near to a neighbour of the number. */
function floatText(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return numberText(value);
  for (let digits = 1; digits <= FLOAT_DIGITS; digits += 1) {
    const text = rounded(value, digits);
    const mirrored = 2 * text - value;
    const isBetween = text !== value && Math.fround(mirrored) === mirrored;
    if (Math.fround(text) === value && !isBetween) return numberText(text);
  }
  return numberText(value);
}

/** The number of so many digits that is nearest; of two the one with an even last digit, where `toPrecision` takes the larger. */
function rounded(value: number, digits: number): number {
  const [mantissa = '', exponent] = value.toExponential(EXACT_DIGITS).split('e');
  const end = mantissa.indexOf('.') + digits;
  const kept = mantissa.slice(0, end);
  const isEvenHalf = /^50*$/.test(mantissa.slice(end)) && /[02468]\.?$/.test(kept);
  return Number(isEvenHalf ? `${kept}e${exponent}` : value.toPrecision(digits));
}
