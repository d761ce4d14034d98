import { deflateRawSync, inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { LakehouseError } from '../error/error.ts';

/** The most that one block of an Avro file may hold when it is unpacked. */
const MAX_BLOCK_BYTES = 256 * 1024 * 1024;
/** An Avro snappy block ends with a checksum of what it holds. */
const CHECKSUM_BYTES = 4;

const CODECS: ReadonlyMap<string, (raw: Buffer) => Buffer> = new Map([
  ['null', (raw: Buffer) => raw],
  ['deflate', (raw: Buffer) => inflateRawSync(raw, { maxOutputLength: MAX_BLOCK_BYTES })],
  ['zstandard', (raw: Buffer) => zstdDecompressSync(raw, { maxOutputLength: MAX_BLOCK_BYTES })],
  ['snappy', (raw: Buffer) => unpackSnappy(raw.subarray(0, raw.length - CHECKSUM_BYTES))],
]);

const invalid = (message: string, cause?: unknown): LakehouseError =>
  new LakehouseError('avro_invalid', message, { cause });

/** The block that a codec of the Avro specification packed; `avro_invalid` when it is damaged or the codec unknown. */
export function unpackBlock(codec: string, raw: Buffer): Buffer {
  const unpack = CODECS.get(codec);
  if (!unpack) throw invalid('The compression of an Avro file is not supported');
  try {
    return unpack(raw);
  } catch (error) {
    throw error instanceof LakehouseError ? error : invalid('An Avro block is damaged', error);
  }
}

/** A block in the codec `deflate`, the one that we write. */
export function packBlock(bytes: Uint8Array): Buffer {
  return deflateRawSync(bytes);
}

/** Snappy's raw format: a length, then literals and copies of what came before (its `format_description.txt`). */
function unpackSnappy(raw: Buffer): Buffer {
  let at = 0;
  const byte = (): number => {
    const value = raw[at++];
    if (value === undefined) throw invalid('An Avro block is damaged');
    return value;
  };
  const little = (bytes: number): number => {
    let value = 0;
    for (let index = 0; index < bytes; index++) value += byte() * 2 ** (8 * index);
    return value;
  };
  let size = 0;
  for (let shift = 0, more = true; more; shift += 7) {
    const part = byte();
    size += (part & 127) * 2 ** shift;
    more = part > 127;
  }
  if (size > MAX_BLOCK_BYTES) throw invalid('An Avro block is too large');
  const out = Buffer.alloc(size);
  let end = 0;
  while (at < raw.length) {
    const tag = byte();
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const length = 1 + (short < 60 ? short : little(short - 59));
      end += raw.copy(out, end, at, at + length);
      at += length;
      continue;
    }
    const length = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const offset = kind === 1 ? ((tag >> 5) << 8) + byte() : little(kind === 2 ? 2 : 4);
    if (offset === 0 || offset > end || end + length > size) throw invalid('An Avro block is damaged');
    // Byte by byte, as a copy may reach into what it writes itself.
    for (let left = length; left > 0; left--, end++) out[end] = out[end - offset]!;
  }
  if (end !== size) throw invalid('An Avro block is damaged');
  return out;
}
