import type { Message, StreamDescriptor } from '@weir/connector-sdk';
import { ConnectorError } from './connector-error.ts';
import { hasShape, type LineShape, learnShape } from './line-shape.ts';
import { scanEnvelope } from './scan-envelope.ts';
import { type StreamKey, streamKey } from './stream-key.ts';

/** The longest line that is accepted. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** How many shapes of RECORD lines are remembered; beyond it the least used ones are learned again. */
const MAX_SHAPES = 512;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const RECORD_TYPE = /^\s*\{.*"type"\s*:\s*"RECORD"/s;
/** How far into an unreadable line its type is looked for. */
const TYPE_REACH_BYTES = 4096;
/** How far into a line over the limit its type and stream are looked for; so much of it is kept, to know it by. */
const HEAD_REACH_BYTES = 64 * 1024;

export type RouterOptions = {
  /** The configured streams; a RECORD of any other is a `protocol_violation`. */
  readonly streams: readonly StreamDescriptor[];
  /** Whole RECORD lines of one stream, newlines included, in order. The bytes may be kept, not changed. */
  readonly onRecords: (stream: StreamKey, lines: Uint8Array, count: number) => void;
  /** A RECORD line of one stream that is over the limit: its first 64 KiB, nothing more is kept. */
  readonly onOversized: (stream: StreamKey, head: Uint8Array) => void;
  /** Every other message, after all records before it; `line` is its exact text. */
  readonly onMessage: (message: Message, line: string) => void;
  /** A line that is no JSON object. */
  readonly onLogLine: (text: string) => void;
  readonly maxLineBytes?: number;
};

export type Router = {
  /** Routes the lines that end in this chunk. Throws ConnectorError when the output breaks the protocol. */
  readonly push: (chunk: Uint8Array) => void;
  /** Routes the last line, if it lacks its newline. `truncated`: the output broke off inside a message. */
  readonly end: () => { readonly truncated: boolean };
};

type Line = { readonly bytes: Buffer; readonly start: number; readonly end: number };
type Oversized = { readonly key: StreamKey; readonly head: Uint8Array };
type Routed = { readonly key: StreamKey } | { readonly emit: () => void } | 'truncated';
type Classifier = {
  readonly line: (line: Line, last: boolean) => Routed;
  /** The stream of a RECORD line that is broken, or too long to be looked through; undefined when it does not show. */
  readonly streamOf: (line: Line) => StreamKey | undefined;
};

/**
 * Routes a connector's stdout: RECORD lines go on as bytes and are never parsed; all else is read. How the bytes
 * are cut into chunks makes no difference. Lines may end in CRLF, blank lines and a byte order mark are skipped.
 *
 * A RECORD line that is broken goes on as it is too, for whoever types the rows to reject it, and one over the limit is
 * told of; both only where the line shows its stream, else the run ends as `malformed_record` or `line_too_large`.
 */
export function createRouter(options: RouterOptions): Router {
  const { onRecords, maxLineBytes = MAX_LINE_BYTES } = options;
  const classifier = createClassifier(options);
  let atStart = true;

  /** The stream of a line that is over the limit, by its beginning. */
  const oversized = ({ bytes, start }: Line): Oversized => {
    const end = start + Math.min(HEAD_REACH_BYTES, maxLineBytes);
    const key = classifier.streamOf({ bytes, start, end });
    if (key === undefined) throw new ConnectorError('line_too_large');
    // As bytes of their own, since a part of a line keeps the whole of it in memory.
    return { key, head: Buffer.from(bytes.subarray(start, end)) };
  };
  const routed = (line: Line, last: boolean): Routed => {
    if (line.end - line.start <= maxLineBytes) return classifier.line(line, last);
    const { key, head } = oversized(line);
    return last ? 'truncated' : { emit: () => options.onOversized(key, head) };
  };
  /** Routes whole lines; records of one stream that stand together go out as one slice. */
  const region = (bytes: Buffer, last: boolean): boolean => {
    let runStart = 0;
    let run: StreamKey | undefined;
    let count = 0;
    const flush = (to: number) => {
      if (run !== undefined) onRecords(run, bytes.subarray(runStart, to), count);
      run = undefined;
      count = 0;
    };
    let at = atStart && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
    atStart = false;
    while (at < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, at);
      const found = routed(lineAt(bytes, at, newline), last);
      if (found === 'truncated') return true;
      if ('key' in found) {
        if (found.key !== run) {
          flush(at);
          run = found.key;
          runStart = at;
        }
        count += 1;
      } else {
        flush(at);
        found.emit();
      }
      at = newline + 1;
    }
    flush(bytes.length);
    return false;
  };
  return joinLines(maxLineBytes, { region, oversized, onOversized: options.onOversized });
}

type LineReader = {
  /** Takes whole lines, `last` with one that never got its newline; tells whether that was cut off. */
  readonly region: (bytes: Buffer, last: boolean) => boolean;
  readonly oversized: (line: Line) => Oversized;
  readonly onOversized: RouterOptions['onOversized'];
};

/** Hands whole lines on; the rest of a chunk waits for the next. A line over the limit is let go as it comes. */
function joinLines(maxLineBytes: number, { region, oversized, onOversized }: LineReader): Router {
  let carry: Buffer[] = [];
  let carried = 0;
  let passing: Oversized | undefined;
  const keep = (bytes: Buffer) => {
    if (passing !== undefined || bytes.length === 0) return;
    carry.push(bytes);
    carried += bytes.length;
    // The carriage return and the newline are no part of the line, and the exact test is made on whole lines.
    if (carried <= maxLineBytes + 2) return;
    passing = oversized({ bytes: Buffer.concat(carry), start: 0, end: carried });
    carry = [];
  };
  /** Ends the line that was carried over; tells whether it was cut off. */
  const endLine = (rest: Buffer, last: boolean): boolean => {
    keep(rest);
    const line = Buffer.concat(carry);
    const passed = passing;
    carry = [];
    carried = 0;
    passing = undefined;
    if (passed === undefined) return region(line, last);
    if (!last) onOversized(passed.key, passed.head);
    return last;
  };
  const isBetween = () => carry.length === 0 && passing === undefined;
  return {
    push(chunk) {
      let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const first = bytes.indexOf(NEWLINE);
      if (first < 0) return keep(bytes);
      if (!isBetween()) {
        endLine(bytes.subarray(0, first + 1), false);
        bytes = bytes.subarray(first + 1);
      }
      const last = bytes.lastIndexOf(NEWLINE);
      if (last >= 0) region(bytes.subarray(0, last + 1), false);
      keep(bytes.subarray(last + 1));
    },
    end: () => ({ truncated: !isBetween() && endLine(Buffer.of(NEWLINE), true) }),
  };
}

function lineAt(bytes: Buffer, start: number, newline: number): Line {
  const end = newline > start && bytes[newline - 1] === CARRIAGE_RETURN ? newline - 1 : newline;
  return { bytes, start, end };
}

/** Decides on one line. Shapes are kept in order of use, so that the common case is one comparison. */
function createClassifier(options: RouterOptions): Classifier {
  const known = new Set(options.streams.map(streamKey));
  const names = Map.groupBy(options.streams, (stream) => stream.name);
  const shapes: LineShape[] = [];

  const record = (line: Line, name: string | undefined, namespace: string | undefined): Routed => {
    const key = name === undefined ? undefined : streamKey({ name, ...(namespace === undefined ? {} : { namespace }) });
    if (name === undefined || key === undefined || !known.has(key)) throw new ConnectorError('protocol_violation');
    const shape = learnShape(line, key, names.get(name)?.length === 1);
    if (shape !== undefined) shapes.unshift(shape);
    if (shapes.length > MAX_SHAPES) shapes.pop();
    return { key };
  };
  const streamOf = (line: Line): StreamKey | undefined => {
    const { type, stream: name, namespace } = scanEnvelope(line.bytes, line.start, line.end) ?? {};
    if (name === undefined || (type !== 'RECORD' && !isRecord(line))) return undefined;
    // A namespace may stand behind the place where the line breaks off.
    if (namespace === undefined && names.get(name)?.length !== 1) return undefined;
    const key = streamKey({ name, ...(namespace === undefined ? {} : { namespace }) });
    return known.has(key) ? key : undefined;
  };
  /** A line that is no whole RECORD: a message, a log line, nothing, or a record that broke. */
  const other = (line: Line, last: boolean, closed: boolean): Routed => {
    const text = line.bytes.toString('utf8', line.start, line.end);
    if (text.trim() === '') return { emit: () => undefined };
    const message = closed ? parseMessage(text) : undefined;
    if (message !== undefined) return { emit: () => options.onMessage(message, text) };
    if (last && text.trimStart().startsWith('{')) return 'truncated';
    // A broken record taken for a log line would be a row lost in silence.
    if (!isRecord(line)) return { emit: () => options.onLogLine(text) };
    const key = closed ? undefined : streamOf(line);
    if (key === undefined) throw new ConnectorError('malformed_record');
    return { key };
  };
  const classify = (line: Line, last: boolean): Routed => {
    for (let k = 0; k < shapes.length; k += 1) {
      const shape = shapes[k];
      if (shape === undefined || !hasShape(shape, line.bytes, line.start, line.end)) continue;
      const ahead = shapes[k - 1];
      if (ahead !== undefined) {
        shapes[k] = ahead;
        shapes[k - 1] = shape;
      }
      return shape;
    }
    const envelope = scanEnvelope(line.bytes, line.start, line.end);
    if (envelope?.type === 'RECORD' && envelope.closed) return record(line, envelope.stream, envelope.namespace);
    return other(line, last, envelope?.closed === true);
  };
  return { line: classify, streamOf };
}

/** Whether a line that cannot be read was meant as a RECORD. */
function isRecord({ bytes, start, end }: Line): boolean {
  return RECORD_TYPE.test(bytes.toString('utf8', start, Math.min(end, start + TYPE_REACH_BYTES)));
}

function parseMessage(text: string): Message | undefined {
  try {
    const value = JSON.parse(text) as Partial<Message>;
    return typeof value.type === 'string' ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
