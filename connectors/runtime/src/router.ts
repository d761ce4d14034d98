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

export type RouterOptions = {
  /** The configured streams; a RECORD of any other is a `protocol_violation`. */
  readonly streams: readonly StreamDescriptor[];
  /** Whole RECORD lines of one stream, newlines included, in order. The bytes may be kept, not changed. */
  readonly onRecords: (stream: StreamKey, lines: Uint8Array, count: number) => void;
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
type Routed = { readonly key: StreamKey } | { readonly emit: () => void } | 'truncated';

/**
 * Routes a connector's stdout: RECORD lines go on as bytes and are never parsed; all else is read. How the bytes
 * are cut into chunks makes no difference. Lines may end in CRLF, blank lines and a byte order mark are skipped.
 */
export function createRouter(options: RouterOptions): Router {
  const { onRecords, maxLineBytes = MAX_LINE_BYTES } = options;
  const classify = createClassifier(options);
  let atStart = true;

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
      if (newline - at > maxLineBytes) throw new ConnectorError('line_too_large');
      const routed = classify(lineAt(bytes, at, newline), last);
      if (routed === 'truncated') return true;
      if ('key' in routed) {
        if (routed.key !== run) {
          flush(at);
          run = routed.key;
          runStart = at;
        }
        count += 1;
      } else {
        flush(at);
        routed.emit();
      }
      at = newline + 1;
    }
    flush(bytes.length);
    return false;
  };
  return joinLines(maxLineBytes, region);
}

/** Hands whole lines on, `last` with a line that never got its newline; the rest of a chunk waits for the next. */
function joinLines(maxLineBytes: number, region: (bytes: Buffer, last: boolean) => boolean): Router {
  let carry: Buffer[] = [];
  let carried = 0;
  // One more than the limit: the newline is no part of the line, and the exact test is made on whole lines.
  const keep = (bytes: Buffer) => {
    carried += bytes.length;
    if (carried > maxLineBytes + 1) throw new ConnectorError('line_too_large');
    if (bytes.length > 0) carry.push(bytes);
  };
  const takeCarry = (rest: Buffer) => {
    keep(rest);
    const line = Buffer.concat(carry);
    carry = [];
    carried = 0;
    return line;
  };
  return {
    push(chunk) {
      let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const first = bytes.indexOf(NEWLINE);
      if (first < 0) return keep(bytes);
      if (carry.length > 0) {
        region(takeCarry(bytes.subarray(0, first + 1)), false);
        bytes = bytes.subarray(first + 1);
      }
      const last = bytes.lastIndexOf(NEWLINE);
      if (last >= 0) region(bytes.subarray(0, last + 1), false);
      keep(bytes.subarray(last + 1));
    },
    end() {
      if (carry.length === 0) return { truncated: false };
      return { truncated: region(takeCarry(Buffer.from('\n')), true) };
    },
  };
}

function lineAt(bytes: Buffer, start: number, newline: number): Line {
  const end = newline > start && bytes[newline - 1] === CARRIAGE_RETURN ? newline - 1 : newline;
  return { bytes, start, end };
}

/** Decides on one line. Shapes are kept in order of use, so that the common case is one comparison. */
function createClassifier(options: RouterOptions): (line: Line, last: boolean) => Routed {
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

  return (line, last) => {
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
    return other(line, last, envelope?.closed === true, options);
  };
}

/** A line that is no whole RECORD: a message, a log line, nothing, or a record that broke. */
function other(line: Line, last: boolean, closed: boolean, { onMessage, onLogLine }: RouterOptions): Routed {
  const text = line.bytes.toString('utf8', line.start, line.end);
  if (text.trim() === '') return { emit: () => undefined };
  const isObject = text.trimStart().startsWith('{');
  if (closed) {
    const message = parseMessage(text);
    if (message !== undefined) return { emit: () => onMessage(message, text) };
  }
  if (isObject && last) return 'truncated';
  // A broken record taken for a log line would be a row lost in silence.
  if (RECORD_TYPE.test(text.slice(0, TYPE_REACH_BYTES))) throw new ConnectorError('malformed_record');
  return { emit: () => onLogLine(text) };
}

function parseMessage(text: string): Message | undefined {
  try {
    const value = JSON.parse(text) as Partial<Message>;
    return typeof value.type === 'string' ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
