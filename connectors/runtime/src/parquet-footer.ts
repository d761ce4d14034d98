/** The widest footer that is read. */
const MAX_FOOTER_BYTES = 16 * 1024 * 1024;
/** How deep the values of a footer may be nested. */
const MAX_DEPTH = 32;
const MAGIC = 'PAR1';
/** The end of a file: four bytes of length, then the magic; the magic stands at its beginning too. */
const TAIL_BYTES = 8;
const ROWS_FIELD = 3;
const TYPE = { stop: 0, byte: 3, i16: 4, i32: 5, i64: 6, double: 7, binary: 8, list: 9, set: 10, map: 11, struct: 12 };

/** Reads `length` bytes of a file from a position, fewer when it is shorter. */
export type ReadAt = (position: number, length: number) => Buffer;

/**
 * How many rows the footer of a Parquet file states; undefined when the bytes are no Parquet file, an encrypted one
 * included. Nothing but the frame and this number is looked at: whoever reads the file judges the rest.
 */
export function parquetRows(readAt: ReadAt, size: number): bigint | undefined {
  if (size < MAGIC.length + TAIL_BYTES || readAt(0, MAGIC.length).toString('latin1') !== MAGIC) return undefined;
  const tail = readAt(size - TAIL_BYTES, TAIL_BYTES);
  if (tail.toString('latin1', 4) !== MAGIC) return undefined;
  const length = tail.readUInt32LE(0);
  if (length > MAX_FOOTER_BYTES || length > size - MAGIC.length - TAIL_BYTES) return undefined;
  try {
    return rowsOf(readAt(size - TAIL_BYTES - length, length));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The number of rows in a footer, which is a struct in Thrift's compact protocol. Reading past its end is a RangeError. */
function rowsOf(footer: Buffer): bigint | undefined {
  const cursor = { footer, at: 0 };
  for (let id = 0; ; ) {
    const header = byte(cursor);
    const type = header & 0x0f;
    if (type === TYPE.stop) return undefined;
    id = header >> 4 === 0 ? Number(zigzag(cursor)) : id + (header >> 4);
    if (id === ROWS_FIELD) return type === TYPE.i64 ? zigzag(cursor) : undefined;
    skip(cursor, type, 0);
  }
}

type Cursor = { readonly footer: Buffer; at: number };

function byte(cursor: Cursor): number {
  const value = cursor.footer.readUInt8(cursor.at);
  cursor.at += 1;
  return value;
}

function varint(cursor: Cursor): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const next = byte(cursor);
    value |= BigInt(next & 0x7f) << shift;
    if (next < 0x80) return value;
  }
  throw new RangeError('a number is longer than 64 bits');
}

function zigzag(cursor: Cursor): bigint {
  const value = varint(cursor);
  return value & 1n ? -((value + 1n) >> 1n) : value >> 1n;
}

/** Goes past one value. The two booleans of a struct are types of their own and have no bytes. */
function skip(cursor: Cursor, type: number, depth: number): void {
  if (depth > MAX_DEPTH) throw new RangeError('values are nested too deeply');
  if (type === TYPE.byte) byte(cursor);
  else if (type >= TYPE.i16 && type <= TYPE.i64) varint(cursor);
  else if (type === TYPE.double) skipBytes(cursor, 8);
  else if (type === TYPE.binary) skipBytes(cursor, Number(varint(cursor)));
  else if (type === TYPE.list || type === TYPE.set) skipList(cursor, depth);
  else if (type === TYPE.map) skipMap(cursor, depth);
  else if (type === TYPE.struct) skipStruct(cursor, depth);
  else if (type > TYPE.struct) throw new RangeError('a value has no known type');
}

function skipBytes(cursor: Cursor, length: number): void {
  if (length > cursor.footer.length - cursor.at) throw new RangeError('a value is longer than what holds it');
  cursor.at += length;
}

function skipList(cursor: Cursor, depth: number): void {
  const header = byte(cursor);
  const short = header >> 4;
  const size = short === 0x0f ? Number(varint(cursor)) : short;
  for (let left = size; left > 0; left -= 1) skipElement(cursor, header & 0x0f, depth);
}

function skipMap(cursor: Cursor, depth: number): void {
  const size = Number(varint(cursor));
  if (size === 0) return;
  const types = byte(cursor);
  for (let left = size; left > 0; left -= 1) {
    skipElement(cursor, types >> 4, depth);
    skipElement(cursor, types & 0x0f, depth);
  }
}

function skipStruct(cursor: Cursor, depth: number): void {
  for (;;) {
    const header = byte(cursor);
    if ((header & 0x0f) === TYPE.stop) return;
    if (header >> 4 === 0) varint(cursor);
    skip(cursor, header & 0x0f, depth + 1);
  }
}

/** In lists and maps a boolean has a byte, so every element moves the cursor on and a length that lies runs out. */
function skipElement(cursor: Cursor, type: number, depth: number): void {
  if (type < TYPE.byte) byte(cursor);
  else skip(cursor, type, depth + 1);
}
