/** Base64 may begin at each of these places of a run of its characters. */
const BASE64_SHIFTS = [0, 1, 2, 3];
const BASE64 = 'A-Za-z0-9+/_-';
/** No encoder wraps at fewer characters than these; lines of prose hold no such word. */
export const MIN_WRAPPED_CHARS = 40;
/** The end of a line in wrapped base64; MIME and PEM wrap at 76 and 64. */
const WRAP = `(?<=[${BASE64}]{${MIN_WRAPPED_CHARS}})\\r?\\n[ \\t]*`;
const WRAPS = new RegExp(`${WRAP}(?=[${BASE64}])`, 'g');
/** What stands between hexadecimal bytes, and between decimal ones: of a list in JSON one on each line too. */
const HEX_GAP = '(?:, ?|[ :-])(?:0x)?';
const DECIMAL_GAP = '(?:,\\s{0,16}| )';
const UTF16 = 'utf16le';

/** How to find values in a spelling of their bytes. */
export interface ByteSpelling {
  name: string;
  /** Runs that are long enough for the shortest value. */
  runs: RegExp;
  /** What a run that is worth reading holds. */
  hint: RegExp;
  /** A text without what stands within runs. */
  joined(text: string): string;
  /** The texts that a run may be. */
  read(run: string): Iterable<string>;
}

const SPECIAL = /[.*+?^${}()|[\]\\/-]/g;
/** Parts that no text escapes; the longest of a value shows cheaply whether a run may hold that value. */
const UNESCAPED = /[A-Za-z0-9]{3,}/g;

/** The spellings of bytes: base64, hexadecimal as one run or with signs between, and lists of decimal numbers. */
export function byteSpellings(values: readonly string[]): ByteSpelling[] {
  const bytes = Math.min(...values.map((one) => Buffer.byteLength(one, 'latin1')));
  const anchors = values.map((one) => (one.match(UNESCAPED) ?? ['']).reduce((a, b) => (b.length > a.length ? b : a)));
  const hintOf = (spell: (anchor: string) => string[], flags?: string) =>
    new RegExp([...new Set(anchors.flatMap(spell))].join('|'), flags);
  const encoded = (anchor: string) => [...base64Of(Buffer.from(anchor)), hexOf(anchor).join('')];
  const least = Math.ceil((bytes * 4) / 3);
  return [
    {
      name: 'base64',
      runs: new RegExp(`[${BASE64}](?:[${BASE64}]|${WRAP}(?=[${BASE64}])){${Math.max(0, least - 1)},}`, 'g'),
      hint: hintOf((anchor) =>
        [
          ...base64Of(Buffer.from(anchor)).flatMap((one) => [one, ...encoded(one)]),
          ...base64Of(Buffer.from(anchor, UTF16)),
        ].map(literalOf),
      ),
      joined: (text) => (text.includes('\n') ? text.replace(WRAPS, '') : text),
      read: base64Texts,
    },
    {
      name: 'hex',
      runs: new RegExp(`[0-9A-Fa-f]{${bytes * 2},}`, 'g'),
      hint: hintOf((anchor) => [hexOf(anchor).join('')], 'i'),
      joined: asItIs,
      read: (run) => textsOf(Buffer.from(run, 'hex')),
    },
    {
      name: 'hex list',
      runs: new RegExp(`(?:0x)?[0-9A-Fa-f]{2}(?:${HEX_GAP}[0-9A-Fa-f]{2}){${bytes - 1},}`, 'g'),
      hint: hintOf((anchor) => [hexOf(anchor).join(HEX_GAP)], 'i'),
      joined: asItIs,
      read: (run) => textsOf(Buffer.from((run.match(/[0-9A-Fa-f]{2}/g) ?? []).join(''), 'hex')),
    },
    {
      name: 'decimal list',
      runs: new RegExp(`\\d{1,3}(?:${DECIMAL_GAP}\\d{1,3}){${bytes - 1},}`, 'g'),
      hint: hintOf((anchor) => [[...Buffer.from(anchor)].join(DECIMAL_GAP)]),
      joined: asItIs,
      read: (run) => textsOf(Buffer.from((run.match(/\d+/g) ?? []).map(Number))),
    },
  ];
}

const asItIs = (text: string) => text;
const literalOf = (text: string) => text.replace(SPECIAL, '\\$&');
const hexOf = (text: string) => [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'));

/** Bytes as UTF-8, and as Latin-1 where they are none. */
function* textsOf(bytes: Buffer): Generator<string> {
  const text = bytes.toString();
  yield text;
  if (text.includes('\ufffd')) yield bytes.toString('latin1');
}

function* base64Texts(run: string): Generator<string> {
  for (const shift of BASE64_SHIFTS) {
    const bytes = Buffer.from(run.slice(shift), 'base64');
    yield* textsOf(bytes);
    // Of UTF-16 each second byte is nothing, as far as letters are ASCII.
    if (!bytes.includes(0)) continue;
    yield bytes.toString(UTF16);
    yield bytes.subarray(1).toString(UTF16);
  }
}

/** The base64 of bytes wherever they begin among others: without the characters that their neighbours change. */
function base64Of(raw: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), raw])
      .toString('base64')
      .replace(/=+$/, '');
    const from = shift === 0 ? 0 : shift + 1;
    const to = (shift + raw.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    const own = encoded.slice(from, to);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
