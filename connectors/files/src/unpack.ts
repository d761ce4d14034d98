import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress, type ZstdDecompress } from 'node:zlib';
import { fault } from './fault.ts';
import type { Packing } from './source-file.ts';

/** How many bytes may come of one packed byte, once there are more than `RATIO_FREE_BYTES` of them. */
const MAX_RATIO = 100;
const RATIO_FREE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/**
 * The content of a packed file, of all its members or frames. `unpacked_too_large` for a file that grows more than a
 * hundredfold; `packing_damaged` for one that is cut short, damaged, or not packed at all.
 */
export async function* unpack(source: AsyncIterable<Buffer>, packing: Packing, where: string): AsyncGenerator<Buffer> {
  let taken = 0;
  let given = 0;
  const counted = async function* () {
    for await (const block of source) {
      taken += block.length;
      yield block;
    }
  };
  try {
    for await (const block of packing === 'gzip' ? gunzip(counted()) : unzstd(counted())) {
      given += block.length;
      if (given > RATIO_FREE_BYTES && given > MAX_RATIO * taken) throw fault('unpacked_too_large', where);
      yield block;
    }
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException | undefined)?.code);
    throw /^(?:Z_|ZSTD_)/.test(code) ? fault('packing_damaged', where) : error;
  }
}

async function* gunzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: CHUNK_BYTES });
  const fed = pipeline(source, stream);
  // Its failure is thrown by the loop, too.
  fed.catch(() => undefined);
  yield* stream;
}

/**
 * Node ends a Zstandard stream at the end of its first frame and drops the rest without a word; files of many frames
 * are common. So each frame gets a stream of its own, which begins where the one before stopped taking bytes.
 */
async function* unzstd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = source[Symbol.asyncIterator]();
  const next = async () => {
    const step = await input.next();
    return step.done === true ? undefined : step.value;
  };
  let rest: Buffer | undefined = (await next()) ?? Buffer.alloc(0);
  while (rest !== undefined) {
    const frame = createZstdDecompress({ chunkSize: CHUNK_BYTES });
    const behind = feed(frame, rest, next);
    behind.catch((error: Error) => frame.destroy(error));
    yield* frame as unknown as Readable;
    rest = await behind;
  }
}

/** Feeds one frame, and gives back the bytes behind it; undefined when there are none. */
async function feed(
  frame: ZstdDecompress,
  first: Buffer,
  next: () => Promise<Buffer | undefined>,
): Promise<Buffer | undefined> {
  let fed = 0;
  const ended = new Promise<void>((resolve) => {
    frame.once('end', resolve).once('close', resolve);
  });
  for (let block: Buffer | undefined = first; block !== undefined; block = await next()) {
    fed += block.length;
    const taken = new Promise<void>((resolve) => frame.write(block, () => resolve()));
    await Promise.race([taken, ended]);
    if (frame.errored !== null) return undefined;
    const left = fed - frame.bytesWritten;
    if (left > 0) return block.subarray(block.length - left);
  }
  frame.end();
  return undefined;
}
