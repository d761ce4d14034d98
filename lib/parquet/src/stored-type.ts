import { CONVERTED, PHYSICAL } from './format.ts';
import type { Thrift } from './write-thrift.ts';

/** The longest decimals that 32 and 64 bits hold. */
export const INT32_DIGITS = 9;
export const INT64_DIGITS = 18;
/** Bytes of a longer decimal, and of a uuid. */
export const WIDE_BYTES = 16;

/** How Parquet stores the values of a column: the fields of its schema element beside name and repetition. */
export type StoredType = {
  readonly physical: number;
  readonly length?: number;
  readonly converted?: number;
  readonly scale?: number;
  readonly precision?: number;
  /** A union with one member: what the values mean. */
  readonly logical?: Thrift;
};

const meaning = (id: number, fields: readonly (readonly [number, Thrift])[] = []): Thrift => ({
  struct: [[id, { struct: fields }]],
});
const micros = (isUtc: boolean): readonly (readonly [number, Thrift])[] => [
  [1, isUtc],
  [2, meaning(2)],
];
const timestamp = (isUtc: boolean): StoredType => ({
  physical: PHYSICAL.int64,
  ...(isUtc ? { converted: CONVERTED.timestampMicros } : {}),
  logical: meaning(8, micros(isUtc)),
});

const TYPES: ReadonlyMap<string, StoredType> = new Map<string, StoredType>([
  ['boolean', { physical: PHYSICAL.boolean }],
  ['int', { physical: PHYSICAL.int32 }],
  ['long', { physical: PHYSICAL.int64 }],
  ['float', { physical: PHYSICAL.float }],
  ['double', { physical: PHYSICAL.double }],
  ['date', { physical: PHYSICAL.int32, converted: CONVERTED.date, logical: meaning(6) }],
  ['time', { physical: PHYSICAL.int64, logical: meaning(7, micros(false)) }],
  ['timestamp', timestamp(false)],
  ['timestamptz', timestamp(true)],
  ['uuid', { physical: PHYSICAL.fixed, length: WIDE_BYTES, logical: meaning(14) }],
  ['binary', { physical: PHYSICAL.bytes }],
  ['string', { physical: PHYSICAL.bytes, converted: CONVERTED.utf8, logical: meaning(1) }],
]);
const DECIMAL = /^decimal\((\d+), (\d+)\)$/;

/** The shape of a decimal type by its name; undefined for other types. */
export function decimalShape(name: string): { readonly precision: number; readonly scale: number } | undefined {
  const [, precision, scale] = DECIMAL.exec(name) ?? [];
  return precision === undefined ? undefined : { precision: Number(precision), scale: Number(scale) };
}

/**
 * How the values of a type of an Iceberg table are stored, by its name; undefined for what has no such form here. Source:
 * https://iceberg.apache.org/spec/#parquet
 */
export function storedType(name: string): StoredType | undefined {
  const shape = decimalShape(name);
  return shape === undefined ? TYPES.get(name) : decimal(shape);
}

function decimal({ precision, scale }: { readonly precision: number; readonly scale: number }): StoredType {
  const logical = meaning(5, [
    [1, { i32: scale }],
    [2, { i32: precision }],
  ]);
  const facts = { converted: CONVERTED.decimal, scale, precision, logical };
  if (precision <= INT32_DIGITS) return { ...facts, physical: PHYSICAL.int32 };
  if (precision <= INT64_DIGITS) return { ...facts, physical: PHYSICAL.int64 };
  return { ...facts, physical: PHYSICAL.fixed, length: WIDE_BYTES };
}
