import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { encodingSniffer, type SeenEncoding } from './encoding-sniffer.ts';

/** What a file is, from its first byte to a size. */
export type Look = SeenEncoding & {
  readonly sha256: string;
  /** The same of its first `mark` bytes; undefined when it is shorter. */
  readonly sha256AtMark: string | undefined;
  /** Whether it has a carriage return anywhere, as a byte. */
  readonly hasReturn: boolean;
};

const RETURN = 0x0d;
const BLOCK_BYTES = 1024 * 1024;
/** Half of the digits: an accident is as unlikely, and a state holds one of these for each file. */
const DIGITS = 32;

/** Reads a file once, up to `size` bytes of it. */
export async function lookThrough(handle: FileHandle, size: number, mark = -1): Promise<Look> {
  const hash = createHash('sha256');
  const sniffer = encodingSniffer();
  let hasReturn = false;
  let atMark = mark === 0 ? digest(hash) : undefined;
  for await (const [block, at] of blocks(handle, 0, size)) {
    sniffer.push(block);
    hasReturn ||= block.includes(RETURN);
    const cut = mark - at;
    if (cut > 0 && cut <= block.length) {
      hash.update(block.subarray(0, cut));
      atMark = digest(hash);
      hash.update(block.subarray(cut));
    } else hash.update(block);
  }
  return { sha256: digest(hash), sha256AtMark: atMark, ...sniffer.answer(), hasReturn };
}

/** The bytes of a file from `from` to `to`, each block with its position; fewer when the file is shorter by now. */
export async function* blocks(handle: FileHandle, from: number, to: number): AsyncGenerator<[Buffer, number]> {
  for (let at = from; at < to; ) {
    // A buffer of its own for each block: who takes it may still hold it when the next one is read.
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, to - at));
    const { bytesRead } = await handle.read(block, 0, block.length, at);
    if (bytesRead === 0) return;
    yield [block.subarray(0, bytesRead), at];
    at += bytesRead;
  }
}

/** The bytes of a file from `from` to `to`. */
export async function* bytesOf(handle: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  for await (const [block] of blocks(handle, from, to)) yield block;
}

function digest(hash: Hash): string {
  return hash.copy().digest('hex').slice(0, DIGITS);
}
