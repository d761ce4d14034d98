/** A way to write a text as bytes, of which a leak may have taken any. */
export interface Form {
  readonly name: string;
  /** The bytes that are the same whatever stands before and behind the text. */
  encode(text: string): Buffer;
  /** How many bytes of the form so many characters of plain ASCII have at least. */
  bytesOf(characters: number): number;
}

const each = (text: string, write: (byte: number) => string) =>
  Buffer.from([...Buffer.from(text)].map(write).join(''), 'latin1');
const hexOf = (byte: number) => byte.toString(16).padStart(2, '0');
const form = (name: string, width: number, encode: Form['encode']): Form => ({
  name,
  encode,
  bytesOf: (characters) => characters * width,
});

/** The sextets of a base64 text that hold bits of its neighbours: before it by alignment, behind it by the rest. */
const SHARED_BEFORE = [0, 2, 3];

/**
 * Base64 of a text that begins at a byte whose place is `alignment` modulo 3, without the characters to which its
 * neighbours give bits.
 */
function base64(alignment: 0 | 1 | 2, alphabet: 'base64' | 'base64url'): Form {
  return {
    name: alphabet,
    encode(text) {
      const bytes = Buffer.concat([Buffer.alloc(alignment), Buffer.from(text)]);
      const whole = Math.floor((bytes.length * 8) / 6);
      return Buffer.from(bytes.toString(alphabet).slice(SHARED_BEFORE[alignment], whole), 'latin1');
    },
    bytesOf: (characters) => Math.floor((characters * 4) / 3) - 1,
  };
}

/** In both byte orders: what lies between the first and the last character that is not zero is the same. */
const utf16: Form = {
  name: 'UTF-16',
  encode: (text) => Buffer.from(text, 'utf16le').subarray(0, -1),
  bytesOf: (characters) => 2 * characters - 1,
};

/** The form of a text that is written as it is. */
export const RAW = 'raw';

/**
 * Every form that is searched for. JSON and URL escaping leave a canary as it is, so they are `raw`; the forms of that
 * name escape each character.
 */
export const FORMS: readonly Form[] = [
  form(RAW, 1, (text) => Buffer.from(text)),
  ...([0, 1, 2] as const).flatMap((alignment) => [base64(alignment, 'base64'), base64(alignment, 'base64url')]),
  form('hex', 2, (text) => each(text, hexOf)),
  form('hex, upper case', 2, (text) => each(text, (byte) => hexOf(byte).toUpperCase())),
  form('percent', 3, (text) => each(text, (byte) => `%${hexOf(byte)}`)),
  form('percent, upper case', 3, (text) => each(text, (byte) => `%${hexOf(byte).toUpperCase()}`)),
  form('\\u', 6, (text) => each(text, (byte) => `\\u00${hexOf(byte)}`)),
  form('\\u, upper case', 6, (text) => each(text, (byte) => `\\u00${hexOf(byte).toUpperCase()}`)),
  ...[2, 4].flatMap((slashes) => [
    form(`\\u, ${slashes} slashes`, slashes + 5, (text) =>
      each(text, (byte) => `${'\\'.repeat(slashes)}u00${hexOf(byte)}`),
    ),
  ]),
  form('percent, twice', 5, (text) => each(text, (byte) => `%25${hexOf(byte)}`)),
  form('HTML, decimal', 5, (text) => each(text, (byte) => `&#${byte};`)),
  form('HTML, hex', 6, (text) => each(text, (byte) => `&#x${hexOf(byte)};`)),
  form('HTML, hex, upper case', 6, (text) => each(text, (byte) => `&#x${hexOf(byte).toUpperCase()};`)),
  utf16,
];
