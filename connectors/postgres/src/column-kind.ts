import type { JsonSchema } from '@weir/connector-sdk';

/**
 * How the values of a column travel: as one of the table's own types where that holds them, else as `text`, which is word for
 * word what Postgres prints.
 */
export type ColumnKind =
  | 'boolean'
  | 'int'
  | 'long'
  | 'float'
  | 'double'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'uuid'
  | 'binary'
  | 'json'
  | 'text'
  | `decimal(${number}, ${number})`;

const KINDS: Readonly<Record<string, ColumnKind>> = {
  bool: 'boolean',
  int2: 'int',
  int4: 'int',
  int8: 'long',
  oid: 'long',
  float4: 'float',
  float8: 'double',
  date: 'date',
  time: 'time',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  uuid: 'uuid',
  bytea: 'binary',
  json: 'json',
  jsonb: 'json',
};
const MAX_PRECISION = 38;
/** What the server adds to the two halves of a numeric's shape. */
const TYPMOD_OFFSET = 4;

/**
 * The kind of a type by its name in `pg_catalog` and its modifier. A `numeric` of which the shape is not stated, or that no
 * decimal of 38 digits holds, is text; so are money, intervals, times with a zone, ranges, arrays, enums and all others.
 */
export function columnKind(type: string, modifier: number): ColumnKind {
  if (type !== 'numeric') return KINDS[type] ?? 'text';
  if (modifier < TYPMOD_OFFSET) return 'text';
  const shape = modifier - TYPMOD_OFFSET;
  const precision = (shape >> 16) & 0xffff;
  // Eleven bits with a sign, since a scale may be below zero.
  const scale = ((shape & 0x7ff) ^ 1024) - 1024;
  return precision <= MAX_PRECISION && scale >= 0 && scale <= precision ? `decimal(${precision}, ${scale})` : 'text';
}

const text = (more: JsonSchema = {}): JsonSchema => ({ type: ['null', 'string'], ...more });
const SCHEMAS: Readonly<Record<Exclude<ColumnKind, `decimal(${number}, ${number})`>, JsonSchema>> = {
  boolean: { type: ['null', 'boolean'], weir_type: 'boolean' },
  int: { type: ['null', 'integer'], weir_type: 'int' },
  long: { type: ['null', 'integer'], weir_type: 'long' },
  float: { type: ['null', 'number'], weir_type: 'float' },
  double: { type: ['null', 'number'], weir_type: 'double' },
  date: text({ format: 'date', weir_type: 'date' }),
  time: text({ format: 'time', airbyte_type: 'time_without_timezone', weir_type: 'time' }),
  timestamp: text({ format: 'date-time', airbyte_type: 'timestamp_without_timezone', weir_type: 'timestamp' }),
  timestamptz: text({ format: 'date-time', airbyte_type: 'timestamp_with_timezone', weir_type: 'timestamptz' }),
  uuid: text({ format: 'uuid', weir_type: 'uuid' }),
  binary: text({ contentEncoding: 'base64', weir_type: 'binary' }),
  json: text({ contentMediaType: 'application/json' }),
  text: text(),
};

/** The JSON schema of a column of a kind. `weir_type` is our own keyword with the exact table type. */
export function kindSchema(kind: ColumnKind): JsonSchema {
  if (isDecimal(kind)) return text({ airbyte_type: 'big_number', weir_type: kind });
  return SCHEMAS[kind];
}

/** Whether a kind is a decimal of some shape. */
export function isDecimal(kind: ColumnKind): kind is `decimal(${number}, ${number})` {
  return kind.startsWith('decimal(');
}

/** Whether a column of this kind can have values that the table's type does not hold: infinities, and what is no number. */
export function hasOddValues(kind: ColumnKind): boolean {
  return kind === 'date' || kind === 'timestamp' || kind === 'timestamptz' || isDecimal(kind);
}
