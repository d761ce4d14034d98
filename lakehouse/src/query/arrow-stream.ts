import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  DuckDBUUIDValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import { type Data, type DataType, makeData, RecordBatch, Schema, Struct, Table, tableToIPC } from 'apache-arrow';
import { type Field, type FieldType, fixedLength, type MapType } from '../schema/types.ts';
import { arrowField, arrowType, entriesType, UUID_BYTES } from './arrow-type.ts';

type Values = readonly DuckDBValue[];
/** What of a column's data depends on its type. */
type Content = { data?: unknown; valueOffsets?: Int32Array; child?: Data; children?: Data[] };

const BITS_PER_BYTE = 8;
const DECIMAL_BYTES = 16;

/** Rows as one Arrow IPC stream of one batch; exact, as Arrow has a type for every type of a table. */
export function arrowStream(
  fields: readonly Field[],
  rows: readonly Values[],
  labels: Readonly<Record<string, string>>,
): Uint8Array {
  const schema = new Schema(fields.map(arrowField), new Map(Object.entries(labels)));
  const children = fields.map(({ type }, at) =>
    columnData(
      type,
      rows.map((row) => row[at] ?? null),
    ),
  );
  const data = makeData({ type: new Struct(schema.fields), length: rows.length, nullCount: 0, children });
  return tableToIPC(new Table(schema, [new RecordBatch(schema, data)]), 'stream');
}

function columnData(type: FieldType, values: Values): Data {
  const nullBitmap = bits(values.map((value) => value !== null));
  const nullCount = values.filter((value) => value === null).length;
  const common = { type: arrowType(type), length: values.length, nullCount, nullBitmap };
  // The overloads of makeData are one per type; which content fits which type is decided by `content`.
  return makeData({ ...common, ...content(type, values) } as { type: DataType });
}

function content(type: FieldType, values: Values): Content {
  if (typeof type !== 'string') {
    if (type.type === 'map') return mapContent(type, values);
    return type.type === 'struct' ? structContent(type.fields, values) : listContent(type.element, values);
  }
  switch (type) {
    case 'boolean':
      return { data: bits(values.map((value) => value === true)) };
    case 'int':
      return { data: Int32Array.from(values, (value) => (typeof value === 'number' ? value : 0)) };
    case 'float':
      return { data: Float32Array.from(values, (value) => (typeof value === 'number' ? value : 0)) };
    case 'double':
      return { data: Float64Array.from(values, (value) => (typeof value === 'number' ? value : 0)) };
    case 'date':
      return { data: Int32Array.from(values, (value) => (value instanceof DuckDBDateValue ? value.days : 0)) };
    case 'long':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return { data: BigInt64Array.from(values, int64) };
    case 'string':
      return bytesContent(values.map((value) => (typeof value === 'string' ? Buffer.from(value) : undefined)));
    case 'binary':
      return bytesContent(values.map((value) => (value instanceof DuckDBBlobValue ? value.bytes : undefined)));
    case 'uuid':
      return { data: wide(values, UUID_BYTES, 'big') };
    default:
      if (fixedLength(type) !== undefined) return { data: fixedBytes(values, fixedLength(type) ?? 0) };
      return { data: wide(values, DECIMAL_BYTES, 'little') };
  }
}

function int64(value: DuckDBValue): bigint {
  if (typeof value === 'bigint') return value;
  const isMoment = value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue;
  return isMoment || value instanceof DuckDBTimeValue ? value.micros : 0n;
}

/** Values of 128 bits one behind the other: decimals as unscaled two's complement, uuids as they are written. */
function wide(values: Values, bytesEach: number, end: 'big' | 'little'): Uint8Array {
  const all = Buffer.alloc(values.length * bytesEach);
  for (const [at, value] of values.entries()) {
    const number = value instanceof DuckDBDecimalValue ? value.value : uuidNumber(value);
    const hex = BigInt.asUintN(bytesEach * BITS_PER_BYTE, number).toString(16);
    const bytes = Buffer.from(hex.padStart(bytesEach * 2, '0'), 'hex');
    all.set(end === 'big' ? bytes : bytes.reverse(), at * bytesEach);
  }
  return new Uint8Array(all.buffer, all.byteOffset, all.length);
}

function uuidNumber(value: DuckDBValue): bigint {
  return value instanceof DuckDBUUIDValue ? value.toUint128() : 0n;
}

/** Values of one length in bytes one behind the other. */
function fixedBytes(values: Values, bytesEach: number): Uint8Array {
  const all = new Uint8Array(values.length * bytesEach);
  for (const [at, value] of values.entries()) {
    if (value instanceof DuckDBBlobValue) all.set(value.bytes.subarray(0, bytesEach), at * bytesEach);
  }
  return all;
}

function bytesContent(values: readonly (Uint8Array | undefined)[]): Content {
  return {
    data: Buffer.concat(values.map((value) => value ?? Buffer.alloc(0))),
    valueOffsets: offsets(values.map((value) => value?.length ?? 0)),
  };
}

function listContent(element: FieldType, values: Values): Content {
  const lists = values.map((value) => (value instanceof DuckDBListValue ? value.items : []));
  return { valueOffsets: offsets(lists.map((list) => list.length)), child: columnData(element, lists.flat()) };
}

function mapContent(type: MapType, values: Values): Content {
  const maps = values.map((value) => (value instanceof DuckDBMapValue ? value.entries : []));
  const entries = maps.flat();
  const children = [
    columnData(
      type.key,
      entries.map(({ key }) => key),
    ),
    columnData(
      type.value,
      entries.map(({ value }) => value),
    ),
  ];
  const child = makeData({ type: entriesType(type), length: entries.length, nullCount: 0, children });
  return { valueOffsets: offsets(maps.map((map) => map.length)), child };
}

function structContent(fields: readonly Field[], values: Values): Content {
  const members = ({ name }: Field): Values =>
    values.map((value) => (value instanceof DuckDBStructValue ? (value.entries[name] ?? null) : null));
  return { children: fields.map((field) => columnData(field.type, members(field))) };
}

function offsets(lengths: readonly number[]): Int32Array {
  const found = new Int32Array(lengths.length + 1);
  for (const [at, length] of lengths.entries()) found[at + 1] = (found[at] ?? 0) + length;
  return found;
}

/** One bit per value, the first one lowest. */
function bits(values: readonly boolean[]): Uint8Array {
  const packed = new Uint8Array(Math.ceil(values.length / BITS_PER_BYTE));
  for (const [at, value] of values.entries()) {
    if (value) packed[at >> 3] = (packed[at >> 3] ?? 0) | (1 << (at % BITS_PER_BYTE));
  }
  return packed;
}
