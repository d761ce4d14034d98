import { randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LakehouseError } from './error.ts';

/** An Avro schema, as far as Iceberg's manifests use it; every other attribute (`field-id`) is carried along. */
export type AvroSchema =
  | string
  | readonly AvroSchema[]
  | {
      readonly type: AvroSchema;
      readonly name?: string;
      readonly fields?: readonly AvroField[];
      readonly items?: AvroSchema;
      readonly values?: AvroSchema;
      readonly size?: number;
      readonly [attribute: string]: unknown;
    };
export type AvroField = { readonly name: string; readonly type: AvroSchema; readonly [attribute: string]: unknown };
/** A decoded value: `int` is a number, `long` a bigint, bytes a Buffer, an absent optional null. */
export type AvroValue = null | boolean | number | bigint | string | Buffer | AvroValue[] | AvroRecord;
export type AvroRecord = { [name: string]: AvroValue };

const MAGIC = Buffer.from('Obj\x01', 'latin1');
const SYNC_BYTES = 16;
const ROWS_PER_BLOCK = 2000;
/** The longest encoding of a 64-bit zig-zag integer. */
const MAX_VARINT_BYTES = 10;

/** A buffer that grows while it is written; the state of one encoding. */
type Sink = { bytes: Buffer; length: number };

function reserve(sink: Sink, count: number): void {
  if (sink.length + count <= sink.bytes.length) return;
  const grown = Buffer.allocUnsafe(Math.max(sink.bytes.length * 2, sink.length + count));
  sink.bytes.copy(grown, 0, 0, sink.length);
  sink.bytes = grown;
}

function putRaw(sink: Sink, raw: Uint8Array): void {
  reserve(sink, raw.length);
  sink.bytes.set(raw, sink.length);
  sink.length += raw.length;
}

function putLong(sink: Sink, value: bigint | number): void {
  const signed = BigInt(value);
  let rest = BigInt.asUintN(64, (signed << 1n) ^ (signed >> 63n));
  reserve(sink, MAX_VARINT_BYTES);
  while (rest > 127n) {
    sink.bytes[sink.length++] = Number(rest & 127n) | 128;
    rest >>= 7n;
  }
  sink.bytes[sink.length++] = Number(rest);
}

function putBytes(sink: Sink, raw: Uint8Array): void {
  putLong(sink, raw.length);
  putRaw(sink, raw);
}

const SCALARS: Readonly<Record<string, (sink: Sink, value: AvroValue) => void>> = {
  null: () => {},
  boolean: (sink, value) => putRaw(sink, Buffer.from([value ? 1 : 0])),
  int: (sink, value) => putLong(sink, value as number),
  long: (sink, value) => putLong(sink, value as bigint | number),
  string: (sink, value) => putBytes(sink, Buffer.from(value as string, 'utf8')),
  bytes: (sink, value) => putBytes(sink, value as Buffer),
  fixed: (sink, value) => putRaw(sink, value as Buffer),
  float: (sink, value) => {
    const raw = Buffer.alloc(4);
    raw.writeFloatLE(value as number);
    putRaw(sink, raw);
  },
  double: (sink, value) => {
    const raw = Buffer.alloc(8);
    raw.writeDoubleLE(value as number);
    putRaw(sink, raw);
  },
};

function encode(sink: Sink, schema: AvroSchema, value: AvroValue): void {
  if (Array.isArray(schema)) {
    const branch = schema.findIndex((one) => (one === 'null') === (value === null));
    putLong(sink, branch);
    encode(sink, schema[branch], value);
    return;
  }
  const node = schema as Exclude<AvroSchema, readonly AvroSchema[]>;
  const type = typeof node === 'string' ? node : node.type;
  const scalar = typeof type === 'string' ? SCALARS[type] : undefined;
  if (scalar) {
    scalar(sink, value);
  } else if (typeof node === 'string') {
    throw new LakehouseError('avro_invalid', 'An Avro type is not supported');
  } else if (type === 'record') {
    for (const field of node.fields!) encode(sink, field.type, (value as AvroRecord)[field.name] ?? null);
  } else if (type === 'array') {
    const items = value as AvroValue[];
    if (items.length) putLong(sink, items.length);
    for (const item of items) encode(sink, node.items!, item);
    putLong(sink, 0);
  } else {
    encode(sink, type, value);
  }
}

/** A position in bytes; the state of one decoding. */
type Source = { bytes: Buffer; at: number };

function takeLong(source: Source): bigint {
  let result = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = source.bytes[source.at++];
    if (byte === undefined || shift > 63n) throw new LakehouseError('avro_invalid', 'An Avro file is cut short');
    result |= BigInt(byte & 127) << shift;
    if (byte < 128) return BigInt.asIntN(64, (result >> 1n) ^ -(result & 1n));
  }
}

function takeRaw(source: Source, count: number): Buffer {
  const end = source.at + count;
  if (count < 0 || end > source.bytes.length) throw new LakehouseError('avro_invalid', 'An Avro file is cut short');
  const raw = source.bytes.subarray(source.at, end);
  source.at = end;
  return raw;
}

const takeBytes = (source: Source): Buffer => takeRaw(source, Number(takeLong(source)));

// Arrays and maps come in blocks; a negative count is followed by the block's size in bytes.
function takeBlocks(source: Source, item: () => void): void {
  for (;;) {
    const count = Number(takeLong(source));
    if (count === 0) return;
    if (count < 0) takeLong(source);
    for (let left = Math.abs(count); left > 0; left--) item();
  }
}

type Names = ReadonlyMap<string, AvroSchema>;

function decode(source: Source, schema: AvroSchema, names: Names): AvroValue {
  if (Array.isArray(schema)) {
    const branch: AvroSchema | undefined = schema[Number(takeLong(source))];
    if (branch === undefined) throw new LakehouseError('avro_invalid', 'An Avro union has no such branch');
    return decode(source, branch, names);
  }
  const node = schema as Exclude<AvroSchema, readonly AvroSchema[]>;
  const type = typeof node === 'string' ? node : node.type;
  if (type === 'null') return null;
  if (type === 'boolean') return takeRaw(source, 1)[0] === 1;
  if (type === 'int') return Number(takeLong(source));
  if (type === 'long') return takeLong(source);
  if (type === 'string') return takeBytes(source).toString('utf8');
  if (type === 'bytes') return takeBytes(source);
  if (type === 'float') return takeRaw(source, 4).readFloatLE();
  if (type === 'double') return takeRaw(source, 8).readDoubleLE();
  if (typeof node === 'string') {
    const named = names.get(node);
    if (named === undefined) throw new LakehouseError('avro_invalid', 'An Avro type is not supported');
    return decode(source, named, names);
  }
  if (type === 'fixed') return takeRaw(source, node.size!);
  if (type === 'record') {
    const record: AvroRecord = {};
    for (const field of node.fields!) record[field.name] = decode(source, field.type, names);
    return record;
  }
  if (type === 'array') {
    const items: AvroValue[] = [];
    takeBlocks(source, () => items.push(decode(source, node.items!, names)));
    return items;
  }
  if (type === 'map') {
    const entries: [string, AvroValue][] = [];
    takeBlocks(source, () => {
      const key = takeBytes(source).toString('utf8');
      entries.push([key, decode(source, node.values!, names)]);
    });
    return Object.fromEntries(entries);
  }
  return decode(source, type, names);
}

function namedTypes(schema: AvroSchema, names = new Map<string, AvroSchema>()): Map<string, AvroSchema> {
  if (typeof schema === 'string') return names;
  if (Array.isArray(schema)) {
    for (const branch of schema) namedTypes(branch, names);
    return names;
  }
  const node = schema as Exclude<AvroSchema, string | readonly AvroSchema[]>;
  if (node.name) names.set(node.name, node);
  for (const field of node.fields ?? []) namedTypes(field.type, names);
  for (const inner of [node.items, node.values, node.type]) if (inner !== undefined) namedTypes(inner, names);
  return names;
}

/** The bytes of an Avro object container file (deflate) with these rows and these texts beside the schema. */
export function encodeAvroFile(
  schema: AvroSchema,
  metadata: Readonly<Record<string, string>>,
  rows: readonly AvroRecord[],
): Buffer {
  const sink: Sink = { bytes: Buffer.allocUnsafe(16384), length: 0 };
  const sync = randomBytes(SYNC_BYTES);
  const header = Object.entries({ 'avro.schema': JSON.stringify(schema), 'avro.codec': 'deflate', ...metadata });
  putRaw(sink, MAGIC);
  putLong(sink, header.length);
  for (const [key, text] of header) {
    putBytes(sink, Buffer.from(key));
    putBytes(sink, Buffer.from(text));
  }
  putLong(sink, 0);
  putRaw(sink, sync);
  for (let start = 0; start < rows.length; start += ROWS_PER_BLOCK) {
    const part = rows.slice(start, start + ROWS_PER_BLOCK);
    const block: Sink = { bytes: Buffer.allocUnsafe(16384), length: 0 };
    for (const row of part) encode(block, schema, row);
    putLong(sink, part.length);
    putBytes(sink, deflateRawSync(block.bytes.subarray(0, block.length)));
    putRaw(sink, sync);
  }
  return Buffer.from(sink.bytes.subarray(0, sink.length));
}

/** Reads an Avro object container file, by the schema that it carries; `avro_invalid` when it is none or is damaged. */
export function decodeAvroFile(bytes: Buffer): { metadata: Record<string, string>; rows: AvroRecord[] } {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new LakehouseError('avro_invalid', 'This is no Avro file');
  const source: Source = { bytes, at: MAGIC.length };
  const header = decode(source, { type: 'map', values: 'bytes' }, new Map()) as Record<string, Buffer>;
  const metadata = Object.fromEntries(Object.entries(header).map(([key, raw]) => [key, raw.toString('utf8')]));
  const codec = metadata['avro.codec'] ?? 'null';
  if (codec !== 'deflate' && codec !== 'null') {
    throw new LakehouseError('avro_invalid', 'The compression of an Avro file is not supported');
  }
  const sync = takeRaw(source, SYNC_BYTES);
  const schema = JSON.parse(metadata['avro.schema'] ?? 'null') as AvroSchema;
  const names = namedTypes(schema);
  const rows: AvroRecord[] = [];
  while (source.at < bytes.length) {
    const count = Number(takeLong(source));
    const raw = takeBytes(source);
    const block: Source = { bytes: codec === 'deflate' ? inflateRawSync(raw) : raw, at: 0 };
    for (let row = 0; row < count; row++) rows.push(decode(block, schema, names) as AvroRecord);
    if (!takeRaw(source, SYNC_BYTES).equals(sync)) throw new LakehouseError('avro_invalid', 'An Avro block is damaged');
  }
  return { metadata, rows };
}
