import { LakehouseError } from '../error/error.ts';
import { unpackBlock } from './avro-codec.ts';
import {
  type AvroNode,
  type AvroRecord,
  type AvroSchema,
  type AvroValue,
  fieldNames,
  inlineNames,
  renameFields,
} from './avro-schema.ts';

const MAGIC = Buffer.from('Obj\x01', 'latin1');
const SYNC_BYTES = 16;
/** Integers of up to four bytes of seven bits are taken as numbers, which is many times faster than as bigints. */
const FAST_VARINT_BYTES = 4;

/** A position in bytes; the state of one decoding. */
type Source = { bytes: Buffer; at: number };
type Reader = (source: Source) => AvroValue;

function cutShort(): LakehouseError {
  return new LakehouseError('avro_invalid', 'An Avro file is cut short');
}

/** An integer; a number when it is a small one. */
function takeInteger(source: Source): bigint | number {
  let small = 0;
  for (let count = 0; count < FAST_VARINT_BYTES; count++) {
    const byte = source.bytes[source.at++];
    if (byte === undefined) throw cutShort();
    small |= (byte & 127) << (7 * count);
    if (byte < 128) return (small >>> 1) ^ -(small & 1);
  }
  let result = BigInt(small);
  for (let shift = BigInt(7 * FAST_VARINT_BYTES); ; shift += 7n) {
    const byte = source.bytes[source.at++];
    if (byte === undefined || shift > 63n) throw cutShort();
    result |= BigInt(byte & 127) << shift;
    if (byte < 128) return BigInt.asIntN(64, (result >> 1n) ^ -(result & 1n));
  }
}

const takeNumber = (source: Source): number => Number(takeInteger(source));

function takeRaw(source: Source, count: number): Buffer {
  const end = source.at + count;
  if (count < 0 || end > source.bytes.length) throw cutShort();
  const raw = source.bytes.subarray(source.at, end);
  source.at = end;
  return raw;
}

const takeBytes = (source: Source): Buffer => takeRaw(source, takeNumber(source));

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['null', () => null],
  ['boolean', (source) => takeRaw(source, 1)[0] === 1],
  ['int', takeNumber],
  ['long', (source) => BigInt(takeInteger(source))],
  ['string', (source) => takeBytes(source).toString('utf8')],
  ['bytes', takeBytes],
  ['float', (source) => takeRaw(source, 4).readFloatLE()],
  ['double', (source) => takeRaw(source, 8).readDoubleLE()],
]);

// Arrays and maps come in blocks; a negative count is followed by the block's size in bytes.
function takeBlocks(source: Source, item: () => void): void {
  for (;;) {
    const count = takeNumber(source);
    if (count === 0) return;
    if (count < 0) takeInteger(source);
    // An item of a manifest takes at least one byte, so that a damaged count ends with the file.
    if (Math.abs(count) > source.bytes.length - source.at) throw cutShort();
    for (let left = Math.abs(count); left > 0; left--) item();
  }
}

/** What reads values of a schema, whose names are inlined. */
function readerOf(schema: AvroSchema): Reader {
  if (Array.isArray(schema)) {
    const branches = schema.map((branch) => readerOf(branch));
    return (source) => {
      const read = branches[takeNumber(source)];
      if (!read) throw new LakehouseError('avro_invalid', 'An Avro union has no such branch');
      return read(source);
    };
  }
  const node = schema as AvroNode | string;
  const type = typeof node === 'string' ? node : (node.type as string);
  const scalar = READERS.get(type);
  if (scalar) return scalar;
  if (typeof node === 'string') throw new LakehouseError('avro_invalid', 'An Avro type is not supported');
  return nestedReader(type, node);
}

function nestedReader(type: string, node: AvroNode): Reader {
  if (type === 'fixed') return (source) => takeRaw(source, node.size!);
  if (type === 'record') {
    const fields = node.fields!.map((field) => ({ name: field.name, read: readerOf(field.type) }));
    return (source) => {
      const record: AvroRecord = {};
      for (const { name, read } of fields) record[name] = read(source);
      return record;
    };
  }
  const inner = type === 'map' ? node.values : type === 'array' ? node.items : undefined;
  if (inner === undefined) throw new LakehouseError('avro_invalid', 'An Avro type is not supported');
  const read = readerOf(inner);
  if (type === 'array') {
    return (source) => {
      const items: AvroValue[] = [];
      takeBlocks(source, () => items.push(read(source)));
      return items;
    };
  }
  return (source) => {
    const entries: [string, AvroValue][] = [];
    takeBlocks(source, () => entries.push([takeBytes(source).toString('utf8'), read(source)]));
    return Object.fromEntries(entries);
  };
}

const readHeader = readerOf({ type: 'map', values: 'bytes' });

/** An Avro file's rows, the texts of its header, and its schema with all names inlined and the fields named as here. */
export type AvroFile = {
  readonly metadata: Readonly<Record<string, string>>;
  readonly schema: AvroSchema;
  readonly rows: AvroRecord[];
};

/**
 * Reads an Avro object container file by the schema that it carries; `avro_invalid` when it is none or is damaged.
 * Fields whose ids are in `expected` are named as they are there, whatever the file calls them.
 */
export function decodeAvroFile(bytes: Buffer, expected?: AvroSchema): AvroFile {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new LakehouseError('avro_invalid', 'This is no Avro file');
  const source: Source = { bytes, at: MAGIC.length };
  const header = readHeader(source) as Record<string, Buffer>;
  const metadata = Object.fromEntries(Object.entries(header).map(([key, raw]) => [key, raw.toString('utf8')]));
  const sync = takeRaw(source, SYNC_BYTES);
  const written = inlineNames(parseSchema(metadata['avro.schema']));
  const schema = expected === undefined ? written : renameFields(written, fieldNames(expected));
  const read = readerOf(schema);
  const rows: AvroRecord[] = [];
  while (source.at < bytes.length) {
    const count = takeNumber(source);
    const block: Source = { bytes: unpackBlock(metadata['avro.codec'] ?? 'null', takeBytes(source)), at: 0 };
    for (let row = 0; row < count; row++) rows.push(read(block) as AvroRecord);
    if (!takeRaw(source, SYNC_BYTES).equals(sync)) throw new LakehouseError('avro_invalid', 'An Avro block is damaged');
  }
  return { metadata, schema, rows };
}

function parseSchema(text: string | undefined): AvroSchema {
  try {
    return JSON.parse(text ?? '') as AvroSchema;
  } catch (error) {
    throw new LakehouseError('avro_invalid', 'An Avro file has no readable schema', { cause: error });
  }
}
