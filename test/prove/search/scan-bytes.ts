import type { Anchor, Needle, Needles } from './needles.ts';

/** A canary, or a long enough part of one, that was found. */
export interface Hit {
  readonly needle: Needle;
  /** Whether only its beginning or its end was there. */
  readonly part: boolean;
  /** Place of its first byte in what was searched. */
  readonly offset: number;
}

/** A search of bytes that come in chunks; holds at most the last chunk and twice the longest needle. */
export interface Scan {
  feed(chunk: Uint8Array): void;
  /** Judges what could only be judged now. */
  end(): void;
}

/** Begins a search; `found` is told of each hit, the same needle as often as it is there. */
export function scanBytes(needles: Needles, found: (hit: Hit) => void): Scan {
  const { heads, tails, longest } = needles;
  let kept: Buffer = Buffer.alloc(0);
  /** Place of the first kept byte in all that came. */
  let base = 0;
  /** From here on heads have not been judged, since their needles may go on in the next chunk. */
  let headsFrom = 0;
  /** From here on tails have not been looked for. */
  let bytesSeen = 0;

  function look(buffer: Buffer, last: boolean): void {
    const limit = last ? buffer.length : buffer.length - longest;
    for (const anchor of heads) {
      const from = Math.max(0, headsFrom - base);
      for (let at = find(buffer, anchor, from); at !== -1 && at < limit; at = find(buffer, anchor, at + 1)) {
        const hit = longestMatch(anchor, (needle) => commonPrefix(buffer, at, needle.bytes));
        if (hit !== undefined) found({ ...hit, offset: base + at });
      }
    }
    for (const anchor of tails) {
      const from = Math.max(0, bytesSeen - base - anchor.bytes.length + 1);
      for (let at = find(buffer, anchor, from); at !== -1; at = find(buffer, anchor, at + 1)) {
        const end = at + anchor.bytes.length;
        const hit = longestMatch(anchor, (needle) => commonSuffix(buffer, end, needle.bytes));
        // A whole one was found by its head.
        if (hit?.part) found({ needle: hit.needle, part: true, offset: base + end - hit.length });
      }
    }
    headsFrom = Math.max(headsFrom, base + Math.max(0, limit));
  }

  return {
    feed(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const buffer = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
      look(buffer, false);
      bytesSeen = base + buffer.length;
      const keep = Math.min(buffer.length, 2 * longest);
      kept = Buffer.from(buffer.subarray(buffer.length - keep));
      base = bytesSeen - keep;
    },
    end: () => look(kept, true),
  };
}

const find = (buffer: Buffer, { bytes }: Anchor, from: number) => buffer.indexOf(bytes, from);

/** The needle that the most bytes speak for, if they are enough. */
function longestMatch(
  { needles }: Anchor,
  lengthOf: (needle: Needle) => number,
): { needle: Needle; part: boolean; length: number } | undefined {
  let best: { needle: Needle; part: boolean; length: number } | undefined;
  for (const needle of needles) {
    const length = lengthOf(needle);
    if (length < needle.part || length <= (best?.length ?? 0)) continue;
    best = { needle, part: length < needle.bytes.length, length };
  }
  return best;
}

function commonPrefix(buffer: Buffer, from: number, bytes: Buffer): number {
  let length = 0;
  while (length < bytes.length && buffer[from + length] === bytes[length]) length += 1;
  return length;
}

function commonSuffix(buffer: Buffer, end: number, bytes: Buffer): number {
  let length = 0;
  while (length < bytes.length && buffer[end - 1 - length] === bytes[bytes.length - 1 - length]) length += 1;
  return length;
}
