const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** What the envelope of a line says. `closed` is false when the text ends before the object does, or breaks off. */
export type Envelope = {
  readonly type: string | undefined;
  readonly stream: string | undefined;
  readonly namespace: string | undefined;
  readonly closed: boolean;
};

type Found = { type?: string; stream?: string; namespace?: string };

/**
 * Reads `type`, `record.stream` and `record.namespace` of one line in any key order and skips every other value by
 * its brackets and quotes alone: no object is built, and tokens that are no JSON (NaN) or that a double would
 * damage pass unseen. Returns undefined when the line does not begin with an object. For a doubled key the last
 * one counts, as in JSON.parse.
 */
export function scanEnvelope(bytes: Buffer, start: number, end: number): Envelope | undefined {
  const open = skipSpace(bytes, start, end);
  if (bytes[open] !== OPEN_BRACE || open >= end) return undefined;
  const found: Found = {};
  const after = scanObject(bytes, open, end, (key, at) => {
    if (key === 'type') setText(found, 'type', bytes, at, end);
    if (key !== 'record' || bytes[at] !== OPEN_BRACE) return undefined;
    delete found.stream;
    delete found.namespace;
    return scanObject(bytes, at, end, (inner, innerAt) => {
      if (inner === 'stream' || inner === 'namespace') setText(found, inner, bytes, innerAt, end);
      return undefined;
    });
  });
  const closed = after >= 0 && skipSpace(bytes, after, end) >= end;
  return { type: found.type, stream: found.stream, namespace: found.namespace, closed };
}

/**
 * Walks one object. `visit` sees each key with the position of its value and may walk the value itself, giving
 * back where it ends (-1: broken). Returns the position after the object, or -1.
 */
function scanObject(
  bytes: Buffer,
  open: number,
  end: number,
  visit: (key: string | undefined, at: number) => number | undefined,
): number {
  let at = skipSpace(bytes, open + 1, end);
  if (bytes[at] === CLOSE_BRACE && at < end) return at + 1;
  while (at < end) {
    const keyEnd = bytes[at] === QUOTE ? skipString(bytes, at, end) : -1;
    if (keyEnd < 0) return -1;
    const key = textOf(bytes, at, keyEnd);
    at = skipSpace(bytes, keyEnd, end);
    if (at >= end || bytes[at] !== COLON) return -1;
    at = skipSpace(bytes, at + 1, end);
    const after = visit(key, at) ?? skipValue(bytes, at, end);
    if (after < 0) return -1;
    at = skipSpace(bytes, after, end);
    if (at >= end) return -1;
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    if (bytes[at] !== COMMA) return -1;
    at = skipSpace(bytes, at + 1, end);
  }
  return -1;
}

function setText(found: Found, key: keyof Found, bytes: Buffer, at: number, end: number): void {
  const after = bytes[at] === QUOTE ? skipString(bytes, at, end) : -1;
  const text = after < 0 ? undefined : textOf(bytes, at, after);
  if (text === undefined) delete found[key];
  else found[key] = text;
}

/** The string literal between two positions, quotes included; undefined when an escape of it is not valid. */
function textOf(bytes: Buffer, start: number, end: number): string | undefined {
  const raw = bytes.toString('utf8', start, end);
  if (!raw.includes('\\')) return raw.slice(1, -1);
  try {
    return JSON.parse(raw) as string;
  } catch {
    return undefined;
  }
}

function skipValue(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start];
  if (start >= end) return -1;
  if (first === QUOTE) return skipString(bytes, start, end);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(bytes, start, end);
  let at = start;
  while (at < end && !isDelimiter(bytes[at])) at += 1;
  return at === start ? -1 : at;
}

function skipNested(bytes: Buffer, start: number, end: number): number {
  let depth = 0;
  for (let at = start; at < end; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at, end);
      if (at < 0) return -1;
      continue;
    }
    at += 1;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function skipString(bytes: Buffer, start: number, end: number): number {
  let quote = bytes.indexOf(QUOTE, start + 1);
  while (quote >= 0 && quote < end) {
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH && quote - 1 - slashes > start) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    quote = bytes.indexOf(QUOTE, quote + 1);
  }
  return -1;
}

function skipSpace(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(bytes[at])) at += 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}

function isDelimiter(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte);
}
