import type { Decoding } from './decode-text.ts';
import { openBytes } from './open-bytes.ts';

/** Least bound on what is held back of a word that may be base64. */
const MIN_HELD_CHARS = 4096;
/** How much longer than a value its text can be, within reason. */
const MAX_GROWTH = 16;
/** An escape that more text may complete: of a string literal, a URL, HTML or mail, or of the first bytes of one character. */
const OPEN_ESCAPE = new RegExp(
  [
    /(?:\\x[89A-Fa-f][0-9A-Fa-f]|\\[23][0-7]{2}|[%=][89A-Fa-f][0-9A-Fa-f]){1,3}$/.source,
    /\\(?:[0-3]?[0-7]{0,2}|x[0-9A-Fa-f]?|u\{?[0-9A-Fa-f]{0,6}|U[0-9A-Fa-f]{0,7})$/.source,
    /%(?:[0-9A-Fa-f]|u[0-9A-Fa-f]{0,3})?$/.source,
    /=(?:[0-9A-F]?|\r?\n?)$/.source,
    /&(?:#[xX]?[0-9A-Fa-f]{0,7}|[A-Za-z]{0,6}[1-4]{0,2})$/.source,
  ].join('|'),
);
/** Characters at the end of a text in which escapes may be open. */
const MAX_ESCAPE_CHARS = 64;

/** Finds where, at the end of a text, a value may begin that is not complete yet; takes the text and its decodings. */
export function openingsOf(values: readonly string[]): (text: string, decoded: readonly Decoding[]) => number {
  const maxHeld = Math.max(MIN_HELD_CHARS, MAX_GROWTH * (values[0]?.length ?? 0));
  const openAt = openValuesOf(values);
  return (text, decoded) => {
    const ends = new Set(decoded.flatMap((one) => endsOf(one.text).map((at) => one.place(at, at)[0])));
    let opening = text.length;
    for (const decoding of decoded) {
      for (const end of ends) {
        const length = lengthUpTo(decoding, end);
        const from = Math.max(0, length - maxHeld);
        const at = from + openAt(decoding.text.slice(from, length));
        opening = Math.min(opening, decoding.place(at, at)[0]);
      }
    }
    return Math.max(opening, text.length - maxHeld);
  };
}

/** Where an incomplete value or spelling of bytes begins, or the end of the text. */
function openValuesOf(values: readonly string[]): (text: string) => number {
  // A form writes a space as a plus.
  const known = values.map((one) => one.replaceAll('+', ' '));
  const firsts = new Set(known.map((one) => one.charCodeAt(0)));
  const longest = values[0]?.length ?? 0;
  return (text) => {
    const blob = openBytes(text);
    const tail = text.slice(-longest).replaceAll('+', ' ');
    const skipped = text.length - tail.length;
    for (let at = Math.max(0, text.length - longest + 1); at < blob; at += 1) {
      if (!firsts.has(tail.charCodeAt(at - skipped))) continue;
      const end = tail.slice(at - skipped);
      if (known.some((one) => one.length > end.length && one.startsWith(end))) return at;
    }
    return blob;
  };
}

/** The end of a text, and where each escape that is open there begins: an escaped escape is open within another. */
function endsOf(text: string): number[] {
  const ends = [text.length];
  const from = Math.max(0, text.length - MAX_ESCAPE_CHARS);
  let tail = text.slice(from);
  for (let open = OPEN_ESCAPE.exec(tail); open !== null; open = OPEN_ESCAPE.exec(tail)) {
    tail = tail.slice(0, open.index);
    ends.push(from + tail.length);
  }
  return ends;
}

/** How much of a decoded text comes from before a place of the text that was given. */
function lengthUpTo({ text, place }: Decoding, end: number): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (place(0, middle)[1] <= end) low = middle;
    else high = middle - 1;
  }
  return low;
}
