import type { JsonSchema } from '@weir/connector-sdk';
import { factsType, type ValueFacts } from './value-facts.ts';

/** A column as a file has it: DuckDB's type, and the date format if a CSV file writes dates in one of its own. */
export type FileColumn = { readonly name: string; readonly type: string; readonly format?: string };

type Declared = { readonly type: string; readonly [key: string]: string };

const EXACT = new Map<string, Declared>([
  ['BOOLEAN', { type: 'boolean', weir_type: 'boolean' }],
  ...['TINYINT', 'SMALLINT', 'INTEGER', 'UTINYINT', 'USMALLINT'].map(
    (name) => [name, { type: 'integer', weir_type: 'int' }] as const,
  ),
  ...['UINTEGER', 'BIGINT'].map((name) => [name, { type: 'integer', weir_type: 'long' }] as const),
  // Wider than any 64-bit integer: text in the record, so that no reader rounds it.
  ...['UBIGINT', 'HUGEINT', 'UHUGEINT'].map(
    (name) => [name, { type: 'string', airbyte_type: 'big_integer', weir_type: 'decimal(38, 0)' }] as const,
  ),
  ['FLOAT', { type: 'number', weir_type: 'float' }],
  ['DOUBLE', { type: 'number', weir_type: 'double' }],
  ['DATE', { type: 'string', format: 'date', weir_type: 'date' }],
  ['TIME', { type: 'string', format: 'time', airbyte_type: 'time_without_timezone', weir_type: 'time' }],
  ['TIME WITH TIME ZONE', { type: 'string', format: 'time', airbyte_type: 'time_with_timezone' }],
  ...['TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS'].map(
    (name) =>
      [
        name,
        {
          type: 'string',
          format: 'date-time',
          airbyte_type: 'timestamp_without_timezone',
          weir_type: 'timestamp',
        },
      ] as const,
  ),
  [
    'TIMESTAMP WITH TIME ZONE',
    { type: 'string', format: 'date-time', airbyte_type: 'timestamp_with_timezone', weir_type: 'timestamptz' },
  ],
  ['UUID', { type: 'string', format: 'uuid', weir_type: 'uuid' }],
  ['BLOB', { type: 'string', contentEncoding: 'base64', weir_type: 'binary' }],
]);
const DECIMAL = /^DECIMAL\((\d+),(\d+)\)$/;
const MAX_DECIMAL_DIGITS = 38;
const DECLARED_DECIMAL = /^decimal\((\d+), (\d+)\)$/;
/** Which type holds the values of two, when files of one stream disagree; else text does. */
const WIDER: readonly (readonly [narrow: string, wide: string])[] = [
  ['int', 'long'],
  ['float', 'double'],
  ['int', 'double'],
];

/** Whether a type is a list, struct or map: its values stand in the record as JSON. */
export function isNested(type: string): boolean {
  return /^(?:STRUCT|MAP)\(/.test(type) || type.endsWith(']');
}

/**
 * The JSON schema of a column. `airbyte_type` tells timestamps apart for every reader; `weir_type` is our own
 * keyword with the exact table type; `weir_format` the date format that a CSV file uses.
 */
export function columnSchema({ type, format }: FileColumn): JsonSchema {
  const decimal = DECIMAL.exec(type);
  const nested = type.endsWith(']') ? 'array' : 'object';
  const declared: Declared =
    EXACT.get(type) ??
    (decimal === null
      ? { type: isNested(type) ? nested : 'string' }
      : { type: 'string', airbyte_type: 'big_number', weir_type: `decimal(${decimal[1]}, ${decimal[2]})` });
  return { ...declared, type: ['null', declared.type], ...(format === undefined ? {} : { weir_format: format }) };
}

/** The JSON schema of a column with such values; empty where there is none. */
export function factsSchema(facts: ValueFacts): JsonSchema {
  const found = factsType(facts);
  return found === undefined ? {} : columnSchema({ name: '', ...found });
}

/** The schema that holds the values of two schemas of one column: the wider one, or text. One without a value has no say. */
export function widerSchema(a: JsonSchema, b: JsonSchema): JsonSchema {
  if (JSON.stringify(a) === JSON.stringify(b) || Object.keys(b).length === 0) return a;
  if (Object.keys(a).length === 0) return b;
  if (WIDER.some(([narrow, wide]) => a.weir_type === narrow && b.weir_type === wide)) return b;
  if (WIDER.some(([narrow, wide]) => b.weir_type === narrow && a.weir_type === wide)) return a;
  return widerDecimal(a, b) ?? { type: ['null', 'string'] };
}

/** The decimal that holds two decimals, or a decimal and whole numbers, as they are. */
function widerDecimal(a: JsonSchema, b: JsonSchema): JsonSchema | undefined {
  const [left, right] = [digitsOf(a), digitsOf(b)];
  if (left === undefined || right === undefined) return undefined;
  const scale = Math.max(left.scale, right.scale);
  const digits = Math.max(left.whole, right.whole) + scale;
  return digits <= MAX_DECIMAL_DIGITS ? columnSchema({ name: '', type: `DECIMAL(${digits},${scale})` }) : undefined;
}

/** How many digits a type holds before and behind the point; undefined where that is not all that it holds. */
function digitsOf({ weir_type }: JsonSchema): { readonly whole: number; readonly scale: number } | undefined {
  if (weir_type === 'int' || weir_type === 'long') return { whole: weir_type === 'int' ? 10 : 19, scale: 0 };
  const found = typeof weir_type === 'string' ? DECLARED_DECIMAL.exec(weir_type) : null;
  if (found === null) return undefined;
  const scale = Number(found[2]);
  return { whole: Number(found[1]) - scale, scale };
}

/** The columns of a stream by name, in their order. */
export type ColumnMap = ReadonlyMap<string, JsonSchema>;

/** The columns of two parts of one stream: those of both by name, in the order in which they first came, each as wide as it must be. */
export function unitedColumns(before: ColumnMap, found: ColumnMap): ColumnMap {
  const columns = new Map(before);
  for (const [name, schema] of found) {
    const known = columns.get(name);
    columns.set(name, known === undefined ? schema : widerSchema(known, schema));
  }
  return columns;
}

/** The columns as a catalog has them: text where no file has shown a value. */
export function settledColumns(columns: ColumnMap): ColumnMap {
  const settled = (schema: JsonSchema): JsonSchema =>
    Object.keys(schema).length === 0 ? { type: ['null', 'string'] } : schema;
  return new Map([...columns].map(([name, schema]) => [name, settled(schema)]));
}
