import { createHash } from 'node:crypto';
import type { MappedLine } from './mapping.ts';

/** Lines of a chunk, and bytes of them. */
export const CHUNK_LINES = 5_000;
const CHUNK_BYTES = 8 * 1_048_576;

/** A part of the keys of a mapped table: those after one key, up to and with another one. */
export interface SyncRange {
  seq: number;
  lines: readonly MappedLine[];
  /** Empty for the first part. */
  after: string;
  /** Null for the last part, which has no end. */
  until: string | null;
  digest: string;
}

/**
 * Divides lines, in the order of their keys, into parts that cover all keys; the same lines are always divided so. Without lines
 * there is one part.
 */
export async function* rangesOf(
  lines: AsyncIterable<{ line: MappedLine; bytes: number }>,
  limits = { lines: CHUNK_LINES, bytes: CHUNK_BYTES },
): AsyncIterable<SyncRange> {
  let held: MappedLine[] = [];
  let size = 0;
  let after = '';
  let seq = 0;
  const range = (until: string | null): SyncRange => ({
    seq,
    lines: held,
    after,
    until,
    digest: digestOf(held, after),
  });
  for await (const { line, bytes } of lines) {
    if (held.length >= limits.lines || (held.length > 0 && size + bytes > limits.bytes)) {
      const until = held.at(-1)?.k ?? '';
      yield range(until);
      held = [];
      size = 0;
      after = until;
      seq += 1;
    }
    held.push(line);
    size += bytes;
  }
  yield range(null);
}

function digestOf(lines: readonly MappedLine[], after: string): string {
  const hash = createHash('sha256').update(JSON.stringify(after));
  for (const { k, h, f, d } of lines) hash.update(JSON.stringify([k, h, f, d]));
  return hash.digest('hex');
}
