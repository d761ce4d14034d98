import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';

const MAGIC = Buffer.from('Obj\x01', 'latin1');
const SYNC_BYTES = 16;
/** A manifest is small; what would unpack to more is left out loudly. */
const MAX_BLOCK_BYTES = 256 * 1024 * 1024;

/** The unpacked blocks of an Avro file (specification 1.11, object container files). Throws for one that is none. */
export async function avroBlocks(path: string): Promise<Buffer[]> {
  const bytes = await readFile(path);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('not an Avro file');
  let at = MAGIC.length;
  const long = (): number => {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('an Avro file is cut short');
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      shift += 7;
    }
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const metadata = new Map<string, string>();
  for (let count = long(); count !== 0; count = long()) {
    if (count < 0) long();
    for (let left = Math.abs(count); left > 0; left -= 1)
      metadata.set(take(long()).toString(), take(long()).toString());
  }
  at += SYNC_BYTES;
  const packed = metadata.get('avro.codec') === 'deflate';
  const blocks: Buffer[] = [];
  while (at < bytes.length) {
    long();
    const block = take(long());
    blocks.push(packed ? inflateRawSync(block, { maxOutputLength: MAX_BLOCK_BYTES }) : block);
    at += SYNC_BYTES;
  }
  return blocks;
}
