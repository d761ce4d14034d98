/** What stands in the place of a credential. */
export const SCRUBBED = '[secret]';
/** Shorter values are words that texts have anyway; masking them would hide nothing and spoil everything. */
export const MIN_SCRUBBED_CHARS = 4;
/** Lines of a longer credential, such as of a private key, are masked one by one from this length on. */
const MIN_LINE_CHARS = 12;
/** Values that one scrubber masks, with all their spellings; a credential has few. */
const MAX_SPELLINGS = 10_000;

/** Takes the credentials of one connector out of what it says. */
export interface Scrubber {
  /** The text without any credential, in whatever spelling. */
  text(text: string): string;
  /** Whether a text or bytes hold a credential. */
  finds(text: string | Uint8Array): boolean;
  /**
   * For a text that comes in pieces: what may be shown by now of everything that was pushed; what a credential may begin in
   * is held back until the next piece, or the end.
   */
  pieces(): { push(piece: string): string; end(): string };
}

/**
 * A scrubber of credential values: each is found as it is, in base64 at all three alignments and in both alphabets,
 * percent-encoded, in hexadecimal and escaped as in JSON, once and twice, and escaped before it was encoded. Values of fewer than `minChars` characters are left.
 */
export function createScrubber(values: Iterable<string>, minChars: number = MIN_SCRUBBED_CHARS): Scrubber {
  const spellings = [
    ...new Set(
      [...values]
        .flatMap(partsOf)
        .filter((part) => part.length >= minChars)
        .flatMap(spellingsOf),
    ),
  ]
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_SPELLINGS);
  const longest = spellings[0]?.length ?? 0;
  const bytes = spellings.map((spelling) => Buffer.from(spelling));
  const pattern =
    spellings.length === 0
      ? undefined
      : new RegExp(spellings.map((one) => one.replace(SPECIAL, '\\$&')).join('|'), 'g');
  const text = (given: string) => (pattern === undefined ? given : given.replace(pattern, SCRUBBED));
  const finds = (given: string | Uint8Array) => {
    if (typeof given === 'string') return spellings.some((one) => given.includes(one));
    const buffer = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    return bytes.some((one) => buffer.includes(one));
  };
  return {
    text,
    finds,
    pieces() {
      let held = '';
      return {
        push(piece) {
          held = text(held + piece);
          const cut = Math.max(0, held.length - beginningAt(held, spellings, longest));
          const shown = held.slice(0, cut);
          held = held.slice(cut);
          return shown;
        },
        end() {
          const rest = held;
          held = '';
          return rest;
        },
      };
    },
  };
}

const SPECIAL = /[.*+?^${}()|[\]\\/-]/g;

/** How many characters at the end of a text may be the beginning of a spelling. */
function beginningAt(text: string, spellings: readonly string[], longest: number): number {
  for (let length = Math.min(longest - 1, text.length); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (spellings.some((one) => one.length > length && one.startsWith(end))) return length;
  }
  return 0;
}

/** A value, its lines, and the texts in it when it is JSON: a connector shows what it has read of it. */
function partsOf(value: string): string[] {
  const lines = value.split(/\r?\n|\\n/).filter((line) => line !== value && line.length >= MIN_LINE_CHARS);
  return [
    value,
    value.trim(),
    ...lines,
    ...textsOf(value)
      .filter((text) => text.length >= MIN_LINE_CHARS)
      .flatMap(partsOf),
  ];
}

function textsOf(value: string): string[] {
  if (!/^\s*[[{]/.test(value)) return [];
  try {
    return leaves(JSON.parse(value));
  } catch {
    return [];
  }
}

/** All texts and numbers of a JSON value, as text. */
export function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'bigint') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}

/** Each way to write a value as a text; what is encoded as a whole may hold it escaped, such as a configuration in base64. */
function spellingsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = [...json].map((char) => (char > '~' ? unicodeEscape(char) : char)).join('');
  const twice = JSON.stringify(json).slice(1, -1);
  const written = [...new Set([value, json, ascii, json.replaceAll('/', '\\/')])];
  return [...written, twice, ...written.flatMap(encodingsOf)];
}

function encodingsOf(value: string): string[] {
  const hex = Buffer.from(value).toString('hex');
  const url = value.isWellFormed()
    ? [encodeURIComponent(value), new URLSearchParams([['', value]]).toString().slice(1)]
    : [];
  return [hex, hex.toUpperCase(), ...url, ...base64Of(value)];
}

function unicodeEscape(char: string): string {
  return char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** The base64 of a value wherever it begins in a longer text: without the characters that its neighbours change. */
function base64Of(value: string): string[] {
  const raw = Buffer.from(value);
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), raw])
      .toString('base64')
      .replace(/=+$/, '');
    const from = shift === 0 ? 0 : shift + 1;
    const to = (shift + raw.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    const own = encoded.slice(from, to);
    const url = own.replaceAll('+', '-').replaceAll('/', '_');
    return own.length < MIN_SCRUBBED_CHARS ? [] : [own, url];
  });
}
