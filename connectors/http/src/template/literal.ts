import { exact } from './number.ts';
import type { Value } from './value.ts';

const NUMBER = /^[+-]?(?:\d[\d_]*)?(?:\.\d*)?(?:[eE][+-]?\d+)?/;
const WHOLE = /^(?:0+|[1-9]\d*(?:_\d+)*)$/;
const FLOAT = /^(?:(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)$/;
const WORDS: Readonly<Record<string, Value>> = { None: null, True: true, False: false };
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '0': '\0',
};
const MAX_DEPTH = 64;

type Reader = { readonly text: string; at: number; depth: number };
/** Thrown inside only: the text is no literal. */
const NONE: unique symbol = Symbol('none');

/**
 * The value of a Python literal, as `ast.literal_eval` reads it: numbers, texts in quotes, lists, tuples, dictionaries,
 * `True`, `False`, `None`. Undefined for any other text, which then stays the text that it is. Numbers stay exact.
 */
export function literalOf(text: string): Value | undefined {
  const reader = { text, at: 0, depth: 0 };
  try {
    skip(reader);
    const value = readValue(reader);
    skip(reader);
    return reader.at === text.length ? value : undefined;
  } catch (error) {
    if (error === NONE) return undefined;
    throw error;
  }
}

function skip(reader: Reader): void {
  while (/\s/.test(reader.text[reader.at] ?? '')) reader.at += 1;
}

function readValue(reader: Reader): Value {
  skip(reader);
  const next = reader.text[reader.at] ?? '';
  if (next === '[') return readItems(reader, ']').items;
  if (next === '(') {
    const { items, hadComma } = readItems(reader, ')');
    return items.length === 1 && !hadComma ? (items[0] as Value) : items;
  }
  if (next === '{') return readDictionary(reader);
  if (next === "'" || next === '"') return readTexts(reader);
  const word = /^[A-Za-z]+/.exec(reader.text.slice(reader.at, reader.at + 6))?.[0] ?? '';
  if (Object.hasOwn(WORDS, word)) {
    reader.at += word.length;
    return WORDS[word] as Value;
  }
  return readNumber(reader);
}

function readNumber(reader: Reader): Value {
  const found = NUMBER.exec(reader.text.slice(reader.at))?.[0] ?? '';
  const sign = found.startsWith('-') ? '-' : '';
  const digits = found.replace(/^[+-]/, '');
  reader.at += found.length;
  if (WHOLE.test(digits)) {
    const text = `${sign}${digits.replaceAll('_', '').replace(/^0+(?=\d)/, '')}`;
    const small = Number(text);
    return Number.isSafeInteger(small) ? small + 0 : exact(text);
  }
  if (!FLOAT.test(digits) || !Number.isFinite(Number(digits))) throw NONE;
  const plain = digits
    .replace(/^\./, '0.')
    .replace(/\.(?=$|[eE])/, '.0')
    .replace(/^0+(?=\d)/, '');
  return String(Number(plain)) === plain ? Number(`${sign}${plain}`) : exact(`${sign}${plain}`);
}

function readItems(reader: Reader, end: string): { items: Value[]; hadComma: boolean } {
  enter(reader);
  const items: Value[] = [];
  let hadComma = false;
  for (;;) {
    skip(reader);
    if (reader.text[reader.at] === end) break;
    if (items.length > 0 && !hadComma) throw NONE;
    items.push(readValue(reader));
    skip(reader);
    hadComma = reader.text[reader.at] === ',';
    if (hadComma) reader.at += 1;
  }
  leave(reader);
  return { items, hadComma };
}

function readDictionary(reader: Reader): Value {
  enter(reader);
  const entries: [string, Value][] = [];
  for (;;) {
    skip(reader);
    if (reader.text[reader.at] === '}') break;
    const name = readValue(reader);
    skip(reader);
    if (reader.text[reader.at] !== ':' || (typeof name !== 'string' && typeof name !== 'number')) throw NONE;
    reader.at += 1;
    entries.push([String(name), readValue(reader)]);
    skip(reader);
    if (reader.text[reader.at] === ',') reader.at += 1;
    else if (reader.text[reader.at] !== '}') throw NONE;
  }
  leave(reader);
  return Object.fromEntries(entries);
}

function enter(reader: Reader): void {
  reader.at += 1;
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) throw NONE;
}

function leave(reader: Reader): void {
  reader.at += 1;
  reader.depth -= 1;
}

/** One or more texts in quotes after one another, which are one text. */
function readTexts(reader: Reader): string {
  let all = '';
  while (reader.text[reader.at] === "'" || reader.text[reader.at] === '"') {
    all += readText(reader);
    skip(reader);
  }
  return all;
}

function readText(reader: Reader): string {
  const { text } = reader;
  const one = text[reader.at] ?? '';
  const mark = text.startsWith(one.repeat(3), reader.at) ? one.repeat(3) : one;
  reader.at += mark.length;
  let held = '';
  while (!text.startsWith(mark, reader.at)) {
    const letter = text[reader.at];
    if (letter === undefined || (letter === '\n' && mark.length === 1)) throw NONE;
    reader.at += 1;
    held += letter === '\\' ? readEscape(reader) : letter;
  }
  reader.at += mark.length;
  return held;
}

function readEscape(reader: Reader): string {
  const rest = reader.text.slice(reader.at, reader.at + 5);
  const code = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(rest);
  if (code) {
    reader.at += code[0].length;
    return String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? '', 16));
  }
  reader.at += 1;
  const letter = rest[0] ?? '';
  return ESCAPES[letter] ?? `\\${letter}`;
}
