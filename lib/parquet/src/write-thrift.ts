/** A value in Thrift's compact protocol. A struct is its fields in the order of their ids; absent ones are undefined. */
export type Thrift =
  | { readonly i32: number }
  | { readonly i64: number }
  | { readonly list: readonly Thrift[] }
  | { readonly struct: readonly (readonly [id: number, value: Thrift | undefined])[] }
  /** A struct that is written already. */
  | { readonly written: Buffer }
  | string
  | boolean;

const TYPE = { true: 1, false: 2, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;
/** The longest list whose length stands beside its type. */
const SHORT_LIST = 14;

/** The bytes of a value; in this form Parquet writes the heads of its pages and its footer. */
export function thriftBytes(value: Thrift): Buffer {
  const out: number[] = [];
  write(out, value);
  return Buffer.from(out);
}

function typeOf(value: Thrift): number {
  if (typeof value === 'boolean') return value ? TYPE.true : TYPE.false;
  if (typeof value === 'string') return TYPE.binary;
  if ('i32' in value) return TYPE.i32;
  if ('i64' in value) return TYPE.i64;
  return 'list' in value ? TYPE.list : TYPE.struct;
}

function write(out: number[], value: Thrift): void {
  // A truth value as a field is its type.
  if (typeof value === 'boolean') return;
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    writeVarint(out, bytes.length);
    for (const byte of bytes) out.push(byte);
  } else if ('i32' in value) writeVarint(out, zigzag(value.i32));
  else if ('i64' in value) writeVarint(out, zigzag(value.i64));
  else if ('written' in value) for (const byte of value.written) out.push(byte);
  else if ('list' in value) writeList(out, value.list);
  else writeStruct(out, value.struct);
}

function writeList(out: number[], items: readonly Thrift[]): void {
  const type = typeOf(items[0] ?? '');
  if (items.length <= SHORT_LIST) out.push((items.length << 4) | type);
  else {
    out.push(0xf0 | type);
    writeVarint(out, items.length);
  }
  for (const item of items) write(out, item);
}

function writeStruct(out: number[], fields: readonly (readonly [number, Thrift | undefined])[]): void {
  let last = 0;
  for (const [id, value] of fields) {
    if (value === undefined) continue;
    out.push(((id - last) << 4) | typeOf(value));
    write(out, value);
    last = id;
  }
  out.push(0);
}

/** Small numbers of either sign; all numbers of ours are whole and far below 2^52. */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

function writeVarint(out: number[], value: number): void {
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out.push((rest % 0x80) | 0x80);
  out.push(rest);
}

/** A number as Thrift and Parquet write counts: seven bits a byte, the least first. */
export function varintBytes(value: number): Buffer {
  const out: number[] = [];
  writeVarint(out, value);
  return Buffer.from(out);
}
