import { MIN_WRAPPED_CHARS } from './byte-spellings.ts';

const IS_BASE64 = tableOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-');
const IS_LIST = tableOf('0123456789abcdefABCDEFxX,: -');
const IS_BLANK = tableOf(' \t');

/** Where a spelling of bytes begins that is not complete at the end of a text, or the end. Reads from the end. */
export function openBytes(text: string): number {
  return Math.min(openBase64(text), openList(text));
}

function openBase64(text: string): number {
  let start = behind(text, text.length, IS_BASE64);
  for (let end = wrappedEnd(text, start); end !== undefined; end = wrappedEnd(text, start)) {
    start = behind(text, end, IS_BASE64);
  }
  return start;
}

/** The end of a wrapped line whose line break is right before a place; a carriage return may wait for its newline. */
function wrappedEnd(text: string, place: number): number | undefined {
  let end = behind(text, place, IS_BLANK);
  const isCut = place === text.length && text[end - 1] === '\r';
  if (text[end - 1] === '\n') end -= 1;
  else if (!isCut) return undefined;
  if (text[end - 1] === '\r') end -= 1;
  return end - behind(text, end, IS_BASE64, MIN_WRAPPED_CHARS) < MIN_WRAPPED_CHARS ? undefined : end;
}

/** The end of a line is of a list behind a comma alone: else the last line of a log would wait for the next. */
function openList(text: string): number {
  for (let start = behind(text, text.length, IS_LIST); ; ) {
    const end = behind(text, start, IS_BLANK);
    const line = /,\r?\n?$/.exec(text.slice(Math.max(0, end - 3), end))?.[0].length ?? 0;
    if (line < 2) return start;
    start = behind(text, end - line, IS_LIST);
  }
}

/** The place before which the signs of a table begin that end at a place; at most so many of them. */
function behind(text: string, end: number, table: Uint8Array, most = end): number {
  let start = end;
  while (start > 0 && end - start < most && table[text.charCodeAt(start - 1)] === 1) start -= 1;
  return start;
}

function tableOf(signs: string): Uint8Array {
  const table = new Uint8Array(0x80);
  for (const sign of signs) table[sign.charCodeAt(0)] = 1;
  return table;
}
