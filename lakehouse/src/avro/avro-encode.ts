import { randomBytes } from 'node:crypto';
import { LakehouseError } from '../error/error.ts';
import { packBlock } from './avro-codec.ts';
import { type AvroNode, type AvroRecord, type AvroSchema, type AvroValue, inlineNames } from './avro-schema.ts';

const MAGIC = Buffer.from('Obj\x01', 'latin1');
const SYNC_BYTES = 16;
const ROWS_PER_BLOCK = 2000;
/** The longest encoding of a 64-bit zig-zag integer. */
const MAX_VARINT_BYTES = 10;
/** Integers below this are written as numbers, which is many times faster than as bigints. */
const FAST_INTEGER = 2 ** 30;

/** A buffer that grows while it is written; the state of one encoding. */
type Sink = { bytes: Buffer; length: number };
type Writer = (sink: Sink, value: AvroValue) => void;

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
  reserve(sink, MAX_VARINT_BYTES);
  if (typeof value === 'number' && Math.abs(value) < FAST_INTEGER) {
    let rest = (value << 1) ^ (value >> 31);
    while (rest > 127) {
      sink.bytes[sink.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    sink.bytes[sink.length++] = rest;
    return;
  }
  const signed = BigInt(value);
  let rest = BigInt.asUintN(64, (signed << 1n) ^ (signed >> 63n));
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

const WRITERS: Readonly<Record<string, Writer>> = {
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

function unsupported(): LakehouseError {
  return new LakehouseError('avro_invalid', 'An Avro type is not supported');
}

/** What writes values of a schema, whose names are inlined. */
function writerOf(schema: AvroSchema): Writer {
  if (Array.isArray(schema)) {
    // Every union here is of null and one type.
    const branches = schema.map((branch) => writerOf(branch));
    const [none, some] = [schema.indexOf('null'), schema.findIndex((branch) => branch !== 'null')];
    return (sink, value) => {
      const branch = value === null ? none : some;
      putLong(sink, branch);
      branches[branch]!(sink, value);
    };
  }
  const node = schema as AvroNode | string;
  const type = typeof node === 'string' ? node : (node.type as string);
  const scalar = WRITERS[type];
  if (scalar) return scalar;
  if (typeof node === 'string') throw unsupported();
  if (type === 'record') {
    const fields = node.fields!.map((field) => ({ name: field.name, write: writerOf(field.type) }));
    return (sink, value) => {
      for (const { name, write } of fields) write(sink, (value as AvroRecord)[name] ?? null);
    };
  }
  if (type !== 'array') throw unsupported();
  const write = writerOf(node.items!);
  return (sink, value) => {
    const items = value as AvroValue[];
    if (items.length) putLong(sink, items.length);
    for (const item of items) write(sink, item);
    putLong(sink, 0);
  };
}

/** The bytes of an Avro object container file (deflate) with these rows and these texts beside the schema. */
export function encodeAvroFile(
  schema: AvroSchema,
  metadata: Readonly<Record<string, string>>,
  rows: readonly AvroRecord[],
): Buffer {
  const write = writerOf(inlineNames(schema));
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
    for (const row of part) write(block, row);
    putLong(sink, part.length);
    putBytes(sink, packBlock(block.bytes.subarray(0, block.length)));
    putRaw(sink, sync);
  }
  return Buffer.from(sink.bytes.subarray(0, sink.length));
}
