import { isAscii, isUtf8 } from 'node:buffer';
import type { Encoding } from './source-file.ts';

/** A character of several bytes in UTF-8, in bytes that are looked at as Latin-1. */
const UTF8_CHARACTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;
/** The bytes that Windows-1252 leaves open. With zero, which other kinds of files are full of, no text in it has them. */
const OPEN = /[\x81\x8d\x8f\x90\x9d]/;
const MARKS: readonly (readonly [encoding: Encoding, hex: string])[] = [
  ['utf-8', 'efbbbf'],
  ['utf-16le', 'fffe'],
  ['utf-16be', 'feff'],
];
/** Bytes of the mark that a text in UTF-8 may begin with. */
export const utf8MarkBytes = (head: Uint8Array): number =>
  head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;

/** UTF-16 without a mark: of the first four bytes every other one is zero. It must be declared. */
const UNMARKED_UTF16 = /^(?:00(?!00)..00(?!00)..|(?!00)..00(?!00)..00)/;
/** The first four bytes, in hexadecimal. */
const HEAD_DIGITS = 8;
/** How long a character of UTF-8 is at most, less the byte that a block ends with. */
const MAX_CUT_BYTES = 3;

/** Takes a file block by block and says which encoding it is in. */
export type EncodingSniffer = {
  readonly push: (block: Buffer) => void;
  /** Asked once, after the last block. */
  readonly answer: () => SeenEncoding;
};

export type SeenEncoding = {
  /** Undefined when it is no text in any encoding that can be told apart. */
  readonly encoding: Encoding | undefined;
  /** Whether it is UTF-8 with bytes in between that are not. */
  readonly isDamaged: boolean;
};

/**
 * A mark at the front decides. Without one it is UTF-8 if all of it is, and Windows-1252 if none of it is: bytes of both
 * kinds are damaged UTF-8. Neither is a file with zeros that is no UTF-8.
 */
export function encodingSniffer(): EncodingSniffer {
  let head = '';
  let rest: Buffer = Buffer.alloc(0);
  let valid = true;
  let hasUtf8 = false;
  let isOpen = false;
  let hasZero = false;
  const judge = (bytes: Buffer) => {
    hasZero ||= bytes.includes(0);
    if (isAscii(bytes)) return;
    if (isUtf8(bytes)) {
      hasUtf8 = true;
      return;
    }
    valid = false;
    const latin = bytes.toString('latin1');
    hasUtf8 ||= UTF8_CHARACTER.test(latin);
    isOpen ||= OPEN.test(latin);
  };
  return {
    push(block) {
      if (head.length < HEAD_DIGITS) head = `${head}${block.toString('hex', 0, HEAD_DIGITS)}`.slice(0, HEAD_DIGITS);
      const bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
      const whole = wholeCharacters(bytes);
      judge(bytes.subarray(0, whole));
      rest = Buffer.from(bytes.subarray(whole));
    },
    answer() {
      judge(rest);
      const seen = (encoding?: Encoding, isDamaged = false) => ({ encoding, isDamaged });
      const marked = MARKS.find(([, mark]) => head.startsWith(mark))?.[0];
      if (marked !== undefined && marked !== 'utf-8') return seen(marked);
      if (UNMARKED_UTF16.test(head)) return seen();
      if (valid) return seen('utf-8');
      if (hasZero) return seen();
      return marked === 'utf-8' || hasUtf8 || isOpen ? seen('utf-8', true) : seen('windows-1252');
    },
  };
}

/** Where the last whole character ends: a character that the block cuts is left for the next one. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(MAX_CUT_BYTES, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
