import { createHash } from 'node:crypto';
import type { Canary } from './canary.ts';
import type { Needle } from './needles.ts';
import type { Hit, Scan } from './scan-bytes.ts';

/** Digests that need no key, of texts that hold a canary: who reads one can guess the canary. */
export interface Digests {
  /** From now on digests of the text are found, as findings of the canary. */
  add(canary: Canary, text: string): void;
  /** Begins a search for all that are known by then or added later. */
  scan(found: (hit: Hit) => void): Scan;
}

/** What programs hash with unless they hash with a key. */
export const ALGORITHMS = ['sha256', 'sha1', 'md5', 'sha512'] as const;

/** How a digest is written, and how many bytes of it cannot be there by chance. */
export const SPELLINGS: readonly { name: string; least: number; write: (digest: Buffer) => Buffer }[] = [
  { name: 'hex', least: 16, write: (digest) => Buffer.from(digest.toString('hex')) },
  { name: 'hex, upper case', least: 16, write: (digest) => Buffer.from(digest.toString('hex').toUpperCase()) },
  { name: 'base64', least: 16, write: (digest) => Buffer.from(digest.toString('base64').replaceAll('=', '')) },
  { name: 'base64url', least: 16, write: (digest) => Buffer.from(digest.toString('base64url')) },
  { name: 'bytes', least: 10, write: (digest) => digest },
];

/** Bytes by which digests are looked up: two words. */
const KEY_BYTES = 8;
/** SHA-512 in hexadecimal. */
const LONGEST = 128;
/** Of the filter that most places of a text do not pass: one bit a slot. */
const SLOT_BITS = 22;

/** The slot of eight bytes, given as two words. */
const slotOf = (high: number, low: number) =>
  (Math.imul(high, 0x9e3779b1) ^ Math.imul(low, 0x85ebca6b)) >>> (32 - SLOT_BITS);

/** An empty set of digests. */
export function createDigests(): Digests {
  const known = new Map<string, Needle[]>();
  const filter = new Uint8Array(2 ** SLOT_BITS / 8);
  const texts = new Set<string>();
  const keep = (needle: Needle) => {
    const key = needle.bytes.toString('latin1', 0, KEY_BYTES);
    const same = known.get(key) ?? [];
    if (same.some(({ bytes }) => bytes.equals(needle.bytes))) return;
    known.set(key, [...same, needle]);
    const slot = slotOf(needle.bytes.readInt32BE(0), needle.bytes.readInt32BE(4));
    filter[slot >>> 3] = (filter[slot >>> 3] ?? 0) | (1 << (slot & 7));
  };
  return {
    add(canary, text) {
      if (texts.has(text)) return;
      texts.add(text);
      for (const algorithm of ALGORITHMS) {
        const digest = createHash(algorithm).update(text).digest();
        for (const { name, least, write } of SPELLINGS)
          keep({ canary, form: `${algorithm}, ${name}`, bytes: write(digest), part: least });
      }
    },
    scan: (found) => scanDigests(known, filter, found),
  };
}

function scanDigests(
  known: ReadonlyMap<string, readonly Needle[]>,
  filter: Uint8Array,
  found: (hit: Hit) => void,
): Scan {
  let kept: Buffer = Buffer.alloc(0);
  /** Place of the first kept byte in all that came. */
  let base = 0;
  const look = (buffer: Buffer, end: number): void => {
    let [high, low] = [0, 0];
    for (let at = 0; at < end + KEY_BYTES - 1; at += 1) {
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | (buffer[at] as number);
      const slot = slotOf(high, low);
      if (((filter[slot >>> 3] as number) & (1 << (slot & 7))) === 0 || at < KEY_BYTES - 1) continue;
      const from = at - KEY_BYTES + 1;
      for (const needle of known.get(buffer.toString('latin1', from, at + 1)) ?? []) {
        const length = commonLength(buffer, from, needle.bytes);
        if (length >= needle.part) found({ needle, part: length < needle.bytes.length, offset: base + from });
      }
    }
  };
  return {
    feed(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const buffer = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
      const judged = Math.max(0, buffer.length - LONGEST);
      look(buffer, judged);
      base += judged;
      kept = Buffer.from(buffer.subarray(judged));
    },
    end: () => look(kept, Math.max(0, kept.length - KEY_BYTES + 1)),
  };
}

function commonLength(buffer: Buffer, from: number, bytes: Buffer): number {
  let length = 0;
  while (length < bytes.length && buffer[from + length] === bytes[length]) length += 1;
  return length;
}
