import { decimalShape, type FieldType, fixedLength } from './types.ts';

/** Code points of a string, or bytes of a binary, that a bound keeps (`truncate(16)`, the default of the format). */
const BOUND_LENGTH = 16;
const MS_PER_DAY = 86_400_000;
const MAX_CODE_POINT = 0x10ffff;
const SURROGATES = { first: 0xd800, afterLast: 0xe000 };

/** Which end of a column's values a bound is: it may lie outside of them, never inside. */
export type BoundSide = 'lower' | 'upper';

/** An unscaled decimal as the fewest big-endian two's-complement bytes that hold it. */
export function encodeUnscaled(value: bigint): Buffer {
  let size = 1;
  while (BigInt.asIntN(8 * size, value) !== value) size++;
  return Buffer.from(
    BigInt.asUintN(8 * size, value)
      .toString(16)
      .padStart(2 * size, '0'),
    'hex',
  );
}

/** The reverse of `encodeUnscaled`. */
export function decodeUnscaled(bytes: Buffer): bigint {
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex') || '0'}`));
}

function int32(value: number): Buffer {
  const raw = Buffer.alloc(4);
  raw.writeInt32LE(value);
  return raw;
}

function int64(value: bigint): Buffer {
  const raw = Buffer.alloc(8);
  raw.writeBigInt64LE(value);
  return raw;
}

function floating(text: string, bytes: 4 | 8): Buffer {
  const value = Number(text.replace(/^(-?)inf(inity)?$/i, '$1Infinity'));
  const raw = Buffer.alloc(bytes);
  bytes === 4 ? raw.writeFloatLE(value) : raw.writeDoubleLE(value);
  return raw;
}

// -0.0 sorts before 0.0 in the format, and a writer's statistics do not say which of them a column holds.
function floatingBound(raw: Buffer, side: BoundSide): Buffer | undefined {
  const value = raw.length === 4 ? raw.readFloatLE() : raw.readDoubleLE();
  if (Number.isNaN(value)) return undefined;
  if (value === 0) raw[raw.length - 1] = side === 'lower' ? 0x80 : 0;
  return raw;
}

/** Days since 1970-01-01 of a `YYYY-MM-DD`; undefined for other spellings (years out of 0001..9999, infinity). */
function epochDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) ? undefined : ms / MS_PER_DAY;
}

function dayMicros(text: string): bigint | undefined {
  const match = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return undefined;
  const seconds = Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
  return BigInt(seconds) * 1_000_000n + BigInt((match[4] ?? '').padEnd(6, '0'));
}

function epochMicros(text: string): bigint | undefined {
  const [date = '', time = ''] = text.replace(/\+00(:00)?$/, '').split(' ');
  const [day, micros] = [epochDay(date), dayMicros(time)];
  return day === undefined || micros === undefined ? undefined : BigInt(day) * 86_400_000_000n + micros;
}

/** A string cut to the length of a bound; an upper one is raised at its last raisable code point, or there is none. */
export function truncateString(text: string, side: BoundSide): string | undefined {
  const points = Array.from(text);
  if (points.length <= BOUND_LENGTH) return text;
  const kept = points.slice(0, BOUND_LENGTH);
  if (side === 'lower') return kept.join('');
  for (let index = kept.length - 1; index >= 0; index--) {
    const next = kept[index]!.codePointAt(0)! + 1;
    if (next > MAX_CODE_POINT) continue;
    const raised = next === SURROGATES.first ? SURROGATES.afterLast : next;
    return kept.slice(0, index).join('') + String.fromCodePoint(raised);
  }
  return undefined;
}

/** Bytes cut to the length of a bound; an upper one is raised at its last byte below 255, or there is none. */
export function truncateBytes(bytes: Buffer, side: BoundSide): Buffer | undefined {
  if (bytes.length <= BOUND_LENGTH) return bytes;
  const kept = Buffer.from(bytes.subarray(0, BOUND_LENGTH));
  if (side === 'lower') return kept;
  for (let index = kept.length - 1; index >= 0; index--) {
    if (kept[index] === 0xff) continue;
    kept[index]!++;
    return kept.subarray(0, index + 1);
  }
  return undefined;
}

/**
 * A value in the single-value encoding of the Iceberg specification, exact and whole, from the text in which DuckDB
 * states it: booleans as 0/1 or by name, blobs as hex, times in UTC. Undefined for a text that is no value of the type
 * (infinite dates, years out of 0001..9999).
 */
export function encodeValue(type: FieldType, text: string): Buffer | undefined {
  switch (type) {
    case 'boolean':
      return Buffer.from([text === '1' || text === 'true' ? 1 : 0]);
    case 'int':
      return int32(Number(text));
    case 'long':
      return int64(BigInt(text));
    case 'float':
      return floating(text, 4);
    case 'double':
      return floating(text, 8);
    case 'date': {
      const day = epochDay(text);
      return day === undefined ? undefined : int32(day);
    }
    case 'time': {
      const micros = dayMicros(text);
      return micros === undefined ? undefined : int64(micros);
    }
    case 'timestamp':
    case 'timestamptz': {
      const micros = epochMicros(text);
      return micros === undefined ? undefined : int64(micros);
    }
    case 'string':
      return Buffer.from(text, 'utf8');
    case 'uuid':
      return Buffer.from(text.replaceAll('-', ''), 'hex');
    case 'binary':
      return Buffer.from(text, 'hex');
    default: {
      if (fixedLength(type) !== undefined) return Buffer.from(text, 'hex');
      const decimal = decimalShape(type);
      if (!decimal || !/^-?\d+(\.\d+)?$/.test(text)) return undefined;
      const [whole = '', fraction = ''] = text.split('.');
      return encodeUnscaled(BigInt(whole + fraction.padEnd(decimal.scale, '0')));
    }
  }
}

/**
 * A bound: a value as `encodeValue` takes and gives it, texts and bytes cut to the length of a bound. Undefined when no
 * safe bound exists, as for NaN.
 */
export function encodeBound(type: FieldType, text: string, side: BoundSide): Buffer | undefined {
  if (type === 'string') {
    const cut = truncateString(text, side);
    return cut === undefined ? undefined : Buffer.from(cut, 'utf8');
  }
  const value = encodeValue(type, text);
  if (value === undefined) return undefined;
  if (type === 'float' || type === 'double') return floatingBound(value, side);
  return type === 'binary' || fixedLength(type) !== undefined ? truncateBytes(value, side) : value;
}
