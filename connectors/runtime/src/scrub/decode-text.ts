import { isUtf8 } from 'node:buffer';

/** A text after some decoding, and where its characters stood before any. */
export interface Decoding {
  text: string;
  /** The part of the given text that these characters were decoded from. */
  place(start: number, end: number): readonly [start: number, end: number];
}

/** Bound on nested encodings, such as JSON in JSON in a URL. */
const MAX_DEPTH = 6;
/** Bound on the decodings of one text; nested encodings of several kinds decode in several orders. */
const MAX_DECODINGS = 24;
/** What each encoded text has. */
const ENCODED = /[\\%&]/;

/**
 * A text as it is, as quoted-printable, then decoded as JSON and other string literals, as a URL and as HTML: in every order,
 * each as often as it still changes the text, within bounds. Depths come in turn.
 */
export function* decodings(given: string): Generator<Decoding> {
  const whole: Decoding = { text: given, place: (start, end) => [start, end] };
  yield whole;
  let mail = whole;
  for (const decoder of QUOTED_PRINTABLE) mail = decode(mail, decoder) ?? mail;
  if (mail !== whole) yield mail;
  if (!ENCODED.test(given)) return;
  const seen = new Set([given]);
  let level = [whole];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: Decoding[] = [];
    for (const outer of level) {
      for (const decoder of DECODERS) {
        const inner = decode(outer, decoder);
        if (inner === undefined || seen.has(inner.text)) continue;
        seen.add(inner.text);
        next.push(inner);
        yield inner;
        if (seen.size >= MAX_DECODINGS) return;
      }
    }
    level = next;
  }
}

/** What one kind of encoding writes in place of characters. */
interface Decoder {
  escapes: RegExp;
  /** The characters of a match, each with the number of characters that it was written in; none for a match to skip. */
  read(written: string): readonly (readonly [text: string, width: number])[];
}

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** HTML names of U+00A0 to U+00FF. */
const LATIN_NAMES =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const FIRST_LATIN = 0xa0;
const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN_NAMES.split(' ').map((name, k) => [name, String.fromCharCode(FIRST_LATIN + k)] as const),
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
]);
const MAX_CODE_POINT = 0x10ffff;

const DECODERS: readonly Decoder[] = [
  {
    escapes:
      /(?:\\x[0-9A-Fa-f]{2})+|(?:\\[0-3][0-7]{2})+|\\u\{[0-9A-Fa-f]{1,6}\}|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|\\[bfnrt]|\\[^A-Za-z0-9]/g,
    read(written) {
      if (written[1] === 'x') return bytesOf(written, '\\x');
      if (/^\\[0-3]/.test(written)) return bytesOf(written, '\\', 8);
      if (!/^\\u/i.test(written)) return [[CONTROLS[written[1] ?? ''] ?? written.slice(1), written.length]];
      return codePoint(Number.parseInt(written.replace(/^\\[uU]\{?/, ''), 16), written);
    },
  },
  {
    escapes: /(?:%[0-9A-Fa-f]{2})+|%u[0-9A-Fa-f]{4}/g,
    read: (written) =>
      written[1] === 'u' ? codePoint(Number.parseInt(written.slice(2), 16), written) : bytesOf(written, '%'),
  },
  {
    escapes: /&(?:#[xX][0-9A-Fa-f]{1,6}|#[0-9]{1,7}|[A-Za-z]{2,6}[1-4]{0,2});/g,
    read(written) {
      const name = written.slice(1, -1);
      const named = NAMED.get(name);
      if (named !== undefined) return [[named, written.length]];
      const isHex = /^#x/i.test(name);
      return name.startsWith('#')
        ? codePoint(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10), written)
        : [];
    },
  },
];

/** As mail writes lines of other signs and of any length; a character may stand on both sides of the end of a line. */
const QUOTED_PRINTABLE: readonly Decoder[] = [
  { escapes: /=\r?\n/g, read: (written) => [['', written.length]] },
  { escapes: /(?:=[0-9A-F]{2})+/g, read: (written) => bytesOf(written, '=') },
];

function codePoint(code: number, written: string): [string, number][] {
  // A surrogate comes as one of two escapes, which join again.
  return code <= MAX_CODE_POINT ? [[String.fromCodePoint(code), written.length]] : [];
}

const UTF8_LEADS = [0xc0, 0xe0, 0xf0] as const;

/** The characters that escaped bytes are in UTF-8; a byte outside of UTF-8 is a character by itself. */
function bytesOf(escapes: string, sign: string, base = 16): [string, number][] {
  const numbers = escapes.split(sign).slice(1);
  const bytes = Buffer.from(numbers.map((number) => Number.parseInt(number, base)));
  const width = escapes.length / numbers.length;
  const characters: [string, number][] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + UTF8_LEADS.filter((lead) => (bytes[at] ?? 0) >= lead).length;
    const own = bytes.subarray(at, at + length);
    const isOne = isUtf8(own);
    characters.push([isOne ? own.toString() : String.fromCharCode(bytes[at] ?? 0), width * (isOne ? length : 1)]);
    at += isOne ? length : 1;
  }
  return characters;
}

/** A replaced part: where it stood, and where what it was replaced by stands. */
interface Edit {
  from: number;
  to: number;
  start: number;
  end: number;
}

function decode(outer: Decoding, { escapes, read }: Decoder): Decoding | undefined {
  const edits: Edit[] = [];
  let [text, done] = ['', 0];
  for (const { 0: written, index } of outer.text.matchAll(escapes)) {
    let from = index;
    for (const [character, width] of read(written)) {
      text += outer.text.slice(done, from);
      edits.push({ from, to: from + width, start: text.length, end: text.length + character.length });
      text += character;
      from += width;
      done = from;
    }
  }
  if (edits.length === 0) return undefined;
  text += outer.text.slice(done);
  const place = (start: number, end: number) => outer.place(placeOf(edits, start, 'from'), placeOf(edits, end, 'to'));
  return { text, place };
}

/** Where a place of a decoded text was in what was decoded; within a replaced part, the begin or end of that part. */
function placeOf(edits: readonly Edit[], at: number, side: 'from' | 'to'): number {
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const end = edits[middle]?.end ?? 0;
    if (side === 'from' ? end <= at : end < at) low = middle + 1;
    else high = middle;
  }
  const edit = edits[low];
  if (edit !== undefined && (side === 'from' ? edit.start <= at : edit.start < at)) return edit[side];
  const before = edits[low - 1];
  return before === undefined ? at : before.to + (at - before.end);
}
