import { ParquetError } from './parquet-error.ts';

/** The fields of a struct by their ids. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;
/** A value of Thrift as it was read: binaries as bytes, every number as a safe integer. */
export type ThriftValue = boolean | number | Buffer | readonly ThriftValue[] | ThriftStruct;

const TYPE = { true: 1, false: 2, byte: 3, i16: 4, i32: 5, i64: 6, double: 7, binary: 8, list: 9, set: 10, struct: 12 };
/** Deeper than anything in a footer. */
const MAX_DEPTH = 16;
const MAX_VARINT_BYTES = 10;
const DOUBLE_BYTES = 8;
/** A list whose length stands behind its type. */
const LONG_LIST = 15;

/**
 * Reads one struct in Thrift's compact protocol from a place of some bytes, and where it ends. Whatever the bytes are, no
 * more is made of them than their own size. Throws `ParquetError` for what is no struct, a number beyond 2^53, and maps,
 * which Parquet has none of.
 */
export function readStruct(bytes: Buffer, at = 0): { readonly struct: ThriftStruct; readonly end: number } {
  const reader = { bytes, at };
  const struct = structOf(reader, 0);
  return { struct, end: reader.at };
}

type Reader = { readonly bytes: Buffer; at: number };

function byteOf(reader: Reader): number {
  const byte = reader.bytes[reader.at];
  if (byte === undefined) throw new ParquetError('it ends too early');
  reader.at += 1;
  return byte;
}

function varint(reader: Reader): bigint {
  let value = 0n;
  for (let place = 0; place < MAX_VARINT_BYTES; place += 1) {
    const byte = byteOf(reader);
    value |= BigInt(byte & 0x7f) << BigInt(7 * place);
    if (byte < 0x80) return value;
  }
  throw new ParquetError('a number is too long');
}

function safe(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new ParquetError('a number is too large');
  return number;
}

function zigzag(reader: Reader): number {
  const value = varint(reader);
  return safe((value & 1n) === 1n ? -(value >> 1n) - 1n : value >> 1n);
}

function taken(reader: Reader, length: number): Buffer {
  const end = reader.at + length;
  if (end > reader.bytes.length) throw new ParquetError('it ends too early');
  const found = reader.bytes.subarray(reader.at, end);
  reader.at = end;
  return found;
}

function structOf(reader: Reader, depth: number): ThriftStruct {
  if (depth > MAX_DEPTH) throw new ParquetError('it is nested too deeply');
  const fields = new Map<number, ThriftValue>();
  let last = 0;
  for (;;) {
    const head = byteOf(reader);
    if (head === 0) return fields;
    const id = head >> 4 === 0 ? zigzag(reader) : last + (head >> 4);
    if (fields.has(id)) throw new ParquetError('a field is there twice');
    fields.set(id, fieldValue(reader, head & 0x0f, depth));
    last = id;
  }
}

function fieldValue(reader: Reader, type: number, depth: number): ThriftValue {
  switch (type) {
    case TYPE.true:
      return true;
    case TYPE.false:
      return false;
    case TYPE.byte:
      return byteOf(reader);
    case TYPE.i16:
    case TYPE.i32:
    case TYPE.i64:
      return zigzag(reader);
    case TYPE.double:
      return taken(reader, DOUBLE_BYTES);
    case TYPE.binary:
      return taken(reader, safe(varint(reader)));
    case TYPE.list:
    case TYPE.set:
      return listOf(reader, depth);
    case TYPE.struct:
      return structOf(reader, depth + 1);
    default:
      throw new ParquetError('a field has a type that Parquet does not have');
  }
}

function listOf(reader: Reader, depth: number): ThriftValue[] {
  if (depth > MAX_DEPTH) throw new ParquetError('it is nested too deeply');
  const head = byteOf(reader);
  const count = head >> 4 === LONG_LIST ? safe(varint(reader)) : head >> 4;
  const type = head & 0x0f;
  // Every element has a byte at least.
  if (count > reader.bytes.length - reader.at) throw new ParquetError('a list is longer than the file');
  const isTruth = type === TYPE.true || type === TYPE.false;
  return Array.from({ length: count }, () => {
    if (isTruth) return byteOf(reader) === TYPE.true;
    return fieldValue(reader, type, depth + 1);
  });
}

/** The bytes of each struct in the list that is a field of a struct; none when the field is absent. */
export function structsOfField(bytes: Buffer, field: number): Buffer[] {
  const reader = { bytes, at: 0 };
  let last = 0;
  for (;;) {
    const head = byteOf(reader);
    if (head === 0) return [];
    const id = head >> 4 === 0 ? zigzag(reader) : last + (head >> 4);
    last = id;
    if (id !== field) {
      fieldValue(reader, head & 0x0f, 0);
      continue;
    }
    const list = byteOf(reader);
    const count = list >> 4 === LONG_LIST ? safe(varint(reader)) : list >> 4;
    if ((head & 0x0f) !== TYPE.list || (list & 0x0f) !== TYPE.struct || count > bytes.length)
      throw new ParquetError('a list of structs is missing');
    return Array.from({ length: count }, () => {
      const start = reader.at;
      structOf(reader, 1);
      return bytes.subarray(start, reader.at);
    });
  }
}
