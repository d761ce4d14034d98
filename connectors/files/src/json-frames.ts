import { utf8MarkBytes } from './encoding-sniffer.ts';
import type { RejectReason } from './rejects/reject-reason.ts';

/** The text of one document: where it begins in its file, and in which line. */
export type Frame = {
  /** Of one that is longer than a document may be, the first bytes that a record can hold. */
  readonly bytes: Buffer;
  readonly length: number;
  readonly byte: number;
  readonly line: number;
  /** Whether the file ends before the line does. */
  readonly isOpen: boolean;
  /** Why it is no document, whatever its text. */
  readonly reason?: RejectReason;
};

/** What is kept of a line: as much as the longest record may have. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** The most bytes of one document. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const BYTE = { tab: 0x09, newline: 0x0a, return: 0x0d, space: 0x20, quote: 0x22, comma: 0x2c, backslash: 0x5c };
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5d, 0x7b, 0x7d];
const BLANK = /^\s*$/;

/** Gathers the bytes of one frame. */
function frameHolder() {
  let parts: Buffer[] = [];
  let length = 0;
  return {
    add(part: Buffer): void {
      if (length < MAX_HELD_BYTES) parts.push(part.subarray(0, MAX_HELD_BYTES - length));
      length += part.length;
    },
    length: () => length,
    take(place: Pick<Frame, 'byte' | 'line' | 'isOpen' | 'reason'>): Frame {
      const bytes = (parts.length === 1 ? parts[0] : undefined) ?? Buffer.concat(parts);
      const tooLong = length > MAX_DOCUMENT_BYTES ? ({ reason: 'line_too_large' } as const) : {};
      const frame = { bytes, length, ...tooLong, ...place };
      parts = [];
      length = 0;
      return frame;
    },
  };
}

/** The lines of a file that hold something, however long. `from` is where the first one begins. */
export async function* lineFrames(
  source: AsyncIterable<Buffer>,
  from: { readonly byte: number; readonly line: number },
): AsyncGenerator<Frame> {
  const held = frameHolder();
  let { line } = from;
  let begin = from.byte;
  const holds = ({ bytes, reason }: Frame) => reason !== undefined || !BLANK.test(bytes.toString('latin1'));
  for await (const [block, at] of placed(source, from.byte)) {
    let start = 0;
    if (held.length() === 0) begin = at;
    for (let end = block.indexOf(BYTE.newline); end >= 0; end = block.indexOf(BYTE.newline, start)) {
      held.add(block.subarray(start, end));
      const frame = held.take({ byte: begin, line, isOpen: false });
      if (holds(frame)) yield frame;
      start = end + 1;
      begin = at + start;
      line += 1;
    }
    held.add(block.subarray(start));
  }
  const last = held.take({ byte: begin, line, isOpen: true });
  if (holds(last)) yield last;
}

/** Where the scanner is, between documents: what may come next. */
type Between = 'start' | 'first' | 'next' | 'value' | 'sequence' | 'end';

/**
 * The documents of a file that is one list of objects, or objects one after the other, without holding more than one. A
 * document is framed by its braces alone; whether what stands between them is JSON is for the reader of the frame. From a
 * place on where none can be framed, the rest of the file is one frame with a reason.
 */
export async function* documentFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const held = frameHolder();
  let between = 'start' as Between;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let line = 1;
  let begin = { byte: 0, line: 1 };
  let rest: RejectReason | undefined;
  for await (const [block, offset] of placed(source, 0)) {
    let start = 0;
    for (let at = 0; at < block.length && rest === undefined; at += 1) {
      const byte = block[at] ?? 0;
      if (depth === 0) {
        const isDocument: boolean = byte === OPEN && between !== 'next' && between !== 'end';
        const next: Between | undefined = isDocument ? between : stepBetween(between, byte);
        if (isDocument || next === undefined) {
          start = at;
          begin = { byte: offset + at, line };
        }
        if (isDocument) depth = 1;
        else if (next === undefined) rest = isValue(between, byte) ? 'not_object' : 'malformed_json';
        else between = next;
      } else if (inString) {
        if (escaped) escaped = false;
        else if (byte === BYTE.backslash) escaped = true;
        else if (byte === BYTE.quote) inString = false;
      } else if (byte === BYTE.quote) inString = true;
      else if (byte === OPEN || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE || byte === CLOSE_LIST) {
        depth -= 1;
        if (depth === 0) {
          held.add(block.subarray(start, at + 1));
          // A line break stands between tokens only; within a string it is an error that the reader finds.
          yield held.take({ ...begin, isOpen: false });
          between = between === 'start' || between === 'sequence' ? 'sequence' : 'next';
          begin = { byte: offset + at + 1, line };
        }
      }
      if (byte === BYTE.newline) line += 1;
    }
    if (depth > 0 || rest !== undefined) held.add(block.subarray(start));
  }
  const isWhole = depth === 0 && (between === 'sequence' || between === 'end');
  if (rest !== undefined) yield held.take({ ...begin, isOpen: true, reason: rest });
  else if (!isWhole) yield held.take({ ...begin, isOpen: true, reason: 'truncated' });
}

/** What may come after a byte that stands between documents and begins none; undefined for one that cannot stand there. */
function stepBetween(between: Between, byte: number): Between | undefined {
  if (byte === BYTE.space || byte === BYTE.newline || byte === BYTE.return || byte === BYTE.tab) return between;
  if (byte === OPEN_LIST && between === 'start') return 'first';
  if (byte === CLOSE_LIST && (between === 'first' || between === 'next')) return 'end';
  return byte === BYTE.comma && between === 'next' ? 'value' : undefined;
}

const isValue = (between: Between, byte: number) =>
  between !== 'next' && between !== 'end' && /["[\-0-9tfn]/.test(String.fromCharCode(byte));

/** The blocks with their places in the file, without the mark that UTF-8 text may begin with. */
async function* placed(source: AsyncIterable<Buffer>, from: number): AsyncGenerator<[Buffer, number]> {
  let at = from;
  for await (const block of source) {
    const mark = at === 0 ? utf8MarkBytes(block) : 0;
    yield [block.subarray(mark), at + mark];
    at += block.length;
  }
}
