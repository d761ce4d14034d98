import { fault } from './fault.ts';
import type { ReadyFile } from './ready-file.ts';

/** The text of one document and the number of the line that it begins in. */
export type Frame = {
  readonly text: string;
  readonly line: number;
  readonly unfinished: boolean;
  /** The bytes of a line that is too long for a document, without a text then; of one too long for a record, its first ones. */
  readonly tooLong?: Buffer;
};

/** What is kept of a line: more than the longest record may have, so that a longer line is seen to be too long. */
const MAX_LINE_BYTES = 64 * 1024 * 1024 + 1;
/** The most bytes of one document. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const BYTE = { tab: 0x09, newline: 0x0a, return: 0x0d, space: 0x20, quote: 0x22, comma: 0x2c, backslash: 0x5c };
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5d, 0x7b, 0x7d];
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The lines of a file that hold something, however long; `unfinished` tells that the file ends in mid-line. */
export async function* lineFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let parts: Buffer[] = [];
  let length = 0;
  let line = 1;
  const take = (unfinished: boolean): Frame => {
    const bytes = (parts.length === 1 ? parts[0] : undefined) ?? Buffer.concat(parts);
    const isLong = length > MAX_DOCUMENT_BYTES;
    parts = [];
    length = 0;
    return isLong ? { text: '', line, unfinished, tooLong: bytes } : { text: bytes.toString('utf8'), line, unfinished };
  };
  const add = (part: Buffer) => {
    const room = MAX_LINE_BYTES - length;
    if (room <= 0) return;
    parts.push(part.subarray(0, room));
    length += Math.min(part.length, room);
  };
  const holds = (frame: Frame) => frame.tooLong !== undefined || /\S/.test(frame.text);
  for await (const block of unmarked(source)) {
    let start = 0;
    for (let end = block.indexOf(BYTE.newline); end >= 0; end = block.indexOf(BYTE.newline, start)) {
      add(block.subarray(start, end));
      const frame = take(false);
      if (holds(frame)) yield frame;
      start = end + 1;
      line += 1;
    }
    add(block.subarray(start));
  }
  const last = take(true);
  if (holds(last)) yield last;
}

/** Where the scanner is, between documents: what may come next. */
type Between = 'start' | 'first' | 'next' | 'value' | 'sequence' | 'end';

/**
 * The documents of a file that is one list of objects, or objects one after the other, without holding more than one. A
 * document is framed by its braces alone; whether what stands between them is JSON is for the reader of the frame.
 */
export async function* documentFrames(source: AsyncIterable<Buffer>, file: ReadyFile): AsyncGenerator<Frame> {
  let between: Between = 'start';
  let parts: Buffer[] = [];
  let length = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let line = 1;
  let beginsAt = 1;
  const keep = (part: Buffer) => {
    length += part.length;
    if (length > MAX_DOCUMENT_BYTES) throw fault('json_row_too_long', file.where(beginsAt));
    parts.push(part);
  };
  for await (const block of unmarked(source)) {
    let start = 0;
    for (let at = 0; at < block.length; at += 1) {
      const byte = block[at] ?? 0;
      if (byte === BYTE.newline) line += 1;
      if (depth === 0) {
        if (byte !== OPEN) between = stepBetween(between, byte, () => file.where(line));
        else if (between === 'next' || between === 'end') throw fault('json_invalid', file.where(line));
        else {
          depth = 1;
          start = at;
          beginsAt = line;
        }
      } else if (inString) {
        if (escaped) escaped = false;
        else if (byte === BYTE.backslash) escaped = true;
        else if (byte === BYTE.quote) inString = false;
      } else if (byte === BYTE.quote) inString = true;
      else if (byte === OPEN || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE || byte === CLOSE_LIST) {
        depth -= 1;
        if (depth > 0) continue;
        keep(block.subarray(start, at + 1));
        // A line break stands between tokens only; within a string it is an error that the reader finds.
        yield { text: Buffer.concat(parts).toString('utf8'), line: beginsAt, unfinished: false };
        parts = [];
        length = 0;
        between = between === 'start' || between === 'sequence' ? 'sequence' : 'next';
      }
    }
    if (depth > 0) keep(block.subarray(start));
  }
  const isWhole = depth === 0 && (between === 'sequence' || between === 'end');
  if (!isWhole) throw fault('json_truncated', file.where(line));
}

/** What may come after a byte that stands between documents and begins none. */
function stepBetween(between: Between, byte: number, where: () => string): Between {
  if (byte === BYTE.space || byte === BYTE.newline || byte === BYTE.return || byte === BYTE.tab) return between;
  if (byte === OPEN_LIST && between === 'start') return 'first';
  if (byte === CLOSE_LIST && (between === 'first' || between === 'next')) return 'end';
  if (byte === BYTE.comma && between === 'next') return 'value';
  const isValue = between !== 'next' && between !== 'end' && /["[\-0-9tfn]/.test(String.fromCharCode(byte));
  throw fault(isValue ? 'json_not_object' : 'json_invalid', where());
}

/** The bytes without the mark that UTF-8 text may begin with. */
async function* unmarked(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let first = true;
  for await (const block of source) {
    yield first && block.subarray(0, MARK.length).equals(MARK) ? block.subarray(MARK.length) : block;
    first = false;
  }
}
