import type { RejectReason } from '../stage/stage-types.ts';

/** Why a text is no JSON that a row can be made of, and where; never leaves the scanner. */
export class ScanFault extends Error {
  override readonly name = 'ScanFault';
  readonly reason: RejectReason;

  constructor(reason: RejectReason) {
    super(reason);
    this.reason = reason;
  }
}

/** A JSON value in a buffer: `[start, end)`. `lossy` says that a number in it has digits that a double cannot hold. */
export type ScannedValue = { readonly start: number; readonly end: number; readonly lossy: boolean };

const SPACE = Uint8Array.from({ length: 256 }, (_, byte) => (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) ? 1 : 0));
const HEX = Uint8Array.from({ length: 256 }, (_, byte) => (/[0-9a-f]/i.test(String.fromCharCode(byte)) ? 1 : 0));
const ESCAPES = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)));
const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, DOT] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e];
const WORDS = /^(?:true|false|null|-?(?:nan|inf(?:inity)?))$/i;
const LITERALS = /^(?:true|false|null)$/;
const MAX_EXACT_DIGITS = 15;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;
const malformed = (): ScanFault => new ScanFault('malformed_json');

/** The first byte at or behind a place that is no white space. */
export function skipSpace(bytes: Buffer, at: number): number {
  let place = at;
  while (place < bytes.length && SPACE[bytes[place]!] === 1) place++;
  return place;
}

function fourHex(bytes: Buffer, at: number): number {
  for (let place = at; place < at + 4; place++) {
    if (place >= bytes.length || HEX[bytes[place]!] === 0) throw malformed();
  }
  return Number.parseInt(bytes.toString('latin1', at, at + 4), 16);
}

// `at` is behind the `u` of an escape; answers the place behind what the escape, or the pair of escapes, takes.
function skipUnicode(bytes: Buffer, at: number): number {
  const unit = fourHex(bytes, at);
  if (unit < 0xd800 || unit > 0xdfff) return at + 4;
  if (unit > 0xdbff || bytes[at + 4] !== BACKSLASH || bytes[at + 5] !== 0x75) throw new ScanFault('lone_surrogate');
  const low = fourHex(bytes, at + 6);
  if (low < 0xdc00 || low > 0xdfff) throw new ScanFault('lone_surrogate');
  return at + 10;
}

/** The place behind a JSON string that begins at a place. */
export function skipString(bytes: Buffer, at: number): number {
  if (bytes[at] !== QUOTE) throw malformed();
  for (let place = at + 1; place < bytes.length; ) {
    const byte = bytes[place]!;
    if (byte === QUOTE) return place + 1;
    if (byte < 0x20) throw malformed();
    if (byte !== BACKSLASH) place++;
    else if (bytes[place + 1] === 0x75) place = skipUnicode(bytes, place + 2);
    else if (ESCAPES.has(bytes[place + 1]!)) place += 2;
    else throw malformed();
  }
  throw malformed();
}

function skipDigits(bytes: Buffer, at: number): number {
  let place = at;
  while (isDigit(bytes[place])) place++;
  if (place === at) throw malformed();
  return place;
}

function skipNumber(bytes: Buffer, at: number): { end: number; fraction: boolean } {
  const first = bytes[at] === MINUS ? at + 1 : at;
  let end = skipDigits(bytes, first);
  if (bytes[first] === 0x30 && end > first + 1) throw malformed();
  let fraction = false;
  if (bytes[end] === DOT) {
    fraction = true;
    end = skipDigits(bytes, end + 1);
  }
  if (bytes[end] === 0x65 || bytes[end] === 0x45) {
    fraction = true;
    const sign = bytes[end + 1] === 0x2b || bytes[end + 1] === MINUS ? 1 : 0;
    end = skipDigits(bytes, end + 1 + sign);
  }
  return { end, fraction };
}

// The digits of a number without leading and trailing zeros, and the power of ten of the first of them.
function decimalDigits(token: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(token) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const leading = whole.length + Number(exponent) - ((whole + fraction).length - digits.length);
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? '0' : `${kept}e${leading}`;
}

/** Whether reading a number with a fraction or an exponent as a double loses some of its digits. */
export function losesDigits(token: string): boolean {
  if (token.length <= MAX_EXACT_DIGITS && !/e/i.test(token)) return false;
  const value = Number(token);
  // What is too large for a double is handed on as it is spelt, and every cast knows what to do with it.
  return Number.isFinite(value) && decimalDigits(token) !== decimalDigits(String(value));
}

function skipWord(bytes: Buffer, at: number): number {
  let end = bytes[at] === MINUS ? at + 1 : at;
  while (end < bytes.length && (bytes[end]! | 0x20) >= 0x61 && (bytes[end]! | 0x20) <= 0x7a) end++;
  const word = bytes.toString('latin1', at, end);
  if (WORDS.test(word) && (LITERALS.test(word) || !/^(?:true|false|null)$/i.test(word))) return end;
  throw malformed();
}

function scanScalar(bytes: Buffer, at: number): ScannedValue {
  const first = bytes[at];
  if (first === QUOTE) return { start: at, end: skipString(bytes, at), lossy: false };
  if (isDigit(first) || (first === MINUS && isDigit(bytes[at + 1]))) {
    const { end, fraction } = skipNumber(bytes, at);
    return { start: at, end, lossy: fraction && losesDigits(bytes.toString('latin1', at, end)) };
  }
  return { start: at, end: skipWord(bytes, at), lossy: false };
}

/**
 * One JSON value of any depth that begins at a place, checked as DuckDB checks it: RFC 8259, and besides a comma behind
 * the last element and the words NaN, Inf and Infinity in any case. Throws a `ScanFault` for everything else. That the
 * bytes are UTF-8 is not checked.
 */
export function scanValue(bytes: Buffer, at: number): ScannedValue {
  const open: number[] = [];
  let [place, lossy] = [at, false];
  for (;;) {
    const first = bytes[place];
    if (first === 0x7b || first === 0x5b) {
      open.push(first + 2);
      place = skipSpace(bytes, place + 1);
      if (bytes[place] === COMMA) throw malformed();
    } else {
      const scalar = scanScalar(bytes, place);
      lossy ||= scalar.lossy;
      place = scalar.end;
      if (open.length === 0) return { start: at, end: place, lossy };
      place = skipSpace(bytes, place);
      if (bytes[place] === COMMA) place = skipSpace(bytes, place + 1);
      else if (bytes[place] !== open.at(-1)) throw malformed();
    }
    while (bytes[place] === open.at(-1)) {
      open.pop();
      if (open.length === 0) return { start: at, end: place + 1, lossy };
      place = skipSpace(bytes, place + 1);
      if (bytes[place] === COMMA) place = skipSpace(bytes, place + 1);
      else if (bytes[place] !== open.at(-1)) throw malformed();
    }
    if (open.at(-1) === 0x7d) place = skipColon(bytes, skipString(bytes, place));
  }
}

function skipColon(bytes: Buffer, at: number): number {
  const colon = skipSpace(bytes, at);
  if (bytes[colon] !== COLON) throw malformed();
  return skipSpace(bytes, colon + 1);
}

/** A member of an object: its name, and where its name and value are. */
export type ScannedMember = { readonly name: string; readonly nameStart: number; readonly value: ScannedValue };

/** The text of a JSON string in a buffer. */
export function stringAt(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? (JSON.parse(bytes.toString('utf8', start, end)) as string) : text;
}

/**
 * The members of an object that begins at a place, each handed to `member` as it is met; answers the place behind it. A
 * name that comes twice is a `duplicate_key`, once the whole object is known to be JSON.
 */
export function scanMembers(bytes: Buffer, at: number, member: (member: ScannedMember) => void): number {
  if (bytes[at] !== 0x7b) throw malformed();
  const seen = new Set<string>();
  let [place, doubled] = [skipSpace(bytes, at + 1), false];
  while (bytes[place] !== 0x7d) {
    const behind = skipString(bytes, place);
    const name = stringAt(bytes, place, behind);
    const value = scanValue(bytes, skipColon(bytes, behind));
    doubled ||= seen.has(name);
    seen.add(name);
    if (!doubled) member({ name, nameStart: place, value });
    place = skipSpace(bytes, value.end);
    if (bytes[place] === COMMA) place = skipSpace(bytes, place + 1);
    else if (bytes[place] !== 0x7d) throw malformed();
  }
  if (doubled) throw new ScanFault('duplicate_key');
  return place + 1;
}
