import { type JsonSchema, parseExact, recordEnvelope, SourceError } from '@weir/connector-sdk';
import { MAX_COLUMNS } from './csv-file.ts';
import { fault } from './fault.ts';
import type { FileReading } from './file-reading.ts';
import { noteFacts, numeral, type SeenFacts } from './json-columns.ts';
import { documentFrames, type Frame, lineFrames } from './json-frames.ts';
import { bytesOf } from './look-through.ts';
import type { ReadyFile } from './ready-file.ts';
import { withHandle } from './with-handle.ts';

/** How much of each file says what its columns are: the documents up to either bound. */
const SAMPLE_DOCUMENTS = 10_000;
const SAMPLE_CHARS = 16 * 1024 * 1024;
const MAX_DEPTH = 256;
/** How many characters of lines are given on at once. */
const BATCH_CHARS = 256 * 1024;
/** How many bytes of a line are quoted at once. */
const QUOTED_BYTES = 1024 * 1024;
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /\\ud[89a-f]/;

type Document = Readonly<Record<string, unknown>>;

/**
 * Notes what a file's first documents have for members; `too_many_columns` when they are too many. Of a file in lines,
 * those that are no documents have no say, unless there is no other.
 */
export async function sampleJson(file: ReadyFile, seen: SeenFacts): Promise<void> {
  let documents = 0;
  let chars = 0;
  let failure: SourceError | undefined;
  await eachFrame(file, async (frame) => {
    const found = judged(frame, file);
    if ('failure' in found) {
      failure ??= found.failure;
      chars += frame.tooLong?.length ?? frame.text.length;
      return chars < SAMPLE_CHARS;
    }
    noteFacts(seen, parseExact(frame.text) as Document, frame.text);
    if (seen.size > MAX_COLUMNS) throw fault('too_many_columns', file.where(frame.line));
    documents += 1;
    chars += frame.text.length;
    return documents < SAMPLE_DOCUMENTS && chars < SAMPLE_CHARS;
  });
  if (documents === 0 && failure !== undefined) throw failure;
}

/**
 * Sends a file's documents as RECORD lines, each with the text that it has in the file, so that every number stays as it
 * is written. Members that no column is for go along. A number in a column of text becomes text, as it is written. A whole
 * line that is no document goes as a record that is no row: the platform rejects it and keeps it.
 */
export async function readJson(file: ReadyFile, reading: FileReading): Promise<void> {
  const { prefix, suffix } = recordEnvelope(reading.stream, reading.emittedAt);
  const textColumns = Object.entries(reading.columns).flatMap(([name, schema]) => (isText(schema) ? [name] : []));
  let batch = '';
  let count = 0;
  const flush = async () => {
    reading.signal.throwIfAborted();
    if (count > 0) await reading.onLines(Buffer.from(batch), count);
    batch = '';
    count = 0;
  };
  let rejected = 0;
  await eachFrame(file, async (frame) => {
    const found = judged(frame, file);
    if ('failure' in found) {
      if (frame.unfinished) throw found.failure;
      const { code, hint } = found.failure;
      if (rejected === 0) await reading.log('WARN', `A line is no row and goes to quarantine (${code}). ${hint}`);
      rejected += 1;
      await flush();
      const data = found.isJson ? [Buffer.from(frame.text)] : quoted(frame.tooLong ?? Buffer.from(frame.text));
      await reading.onLines(Buffer.concat([Buffer.from(prefix), ...data, Buffer.from(suffix)]), 1);
      return true;
    }
    const { document } = found;
    const asIs = textColumns.every((name) => typeof document[name] !== 'number');
    batch += `${prefix}${asIs ? onOneLine(frame.text) : withTexts(frame.text, textColumns)}${suffix}`;
    count += 1;
    if (batch.length >= BATCH_CHARS) await flush();
    return true;
  });
  await flush();
  if (rejected > 1) await reading.log('WARN', `${file.where()}: ${rejected} lines are no rows and go to quarantine`);
}

type Judged =
  | { readonly document: Document }
  /** `isJson`: it is an object that no table can hold. */
  | { readonly failure: SourceError; readonly isJson: boolean };

/** A document, or why a line is none. A file that is one text fails instead: what follows in it cannot be told. */
function judged(frame: Frame, file: ReadyFile): Judged {
  const { line, tooLong } = frame;
  if (tooLong !== undefined) return { failure: fault('json_row_too_long', file.where(line)), isJson: false };
  try {
    return { document: parseDocument(frame, file) };
  } catch (error) {
    if (file.format !== 'jsonl' || !(error instanceof SourceError)) throw error;
    return { failure: error, isJson: error.code === 'encoding_invalid' };
  }
}

/** The bytes as one JSON text: whatever they are, they cannot leave the record that they stand in. */
function quoted(bytes: Buffer): Buffer[] {
  const pieces = [Buffer.from('"')];
  for (let at = 0; at < bytes.length; at += QUOTED_BYTES) {
    // One character a byte keeps all bytes, wherever a character of theirs is cut.
    const piece = JSON.stringify(bytes.toString('latin1', at, at + QUOTED_BYTES));
    pieces.push(Buffer.from(piece.slice(1, -1), 'latin1'));
  }
  return [...pieces, Buffer.from('"')];
}

async function eachFrame(file: ReadyFile, use: (frame: Frame) => Promise<boolean>): Promise<void> {
  await withHandle(file.path, file.where(), async (handle) => {
    const source = bytesOf(handle, 0, Number.MAX_SAFE_INTEGER);
    for await (const frame of file.format === 'json' ? documentFrames(source, file) : lineFrames(source)) {
      if (!(await use(frame))) return;
    }
  });
}

function parseDocument({ text, line, unfinished }: Frame, file: ReadyFile): Document {
  let value: unknown;
  if (text.length > MAX_DEPTH && depthOf(text) > MAX_DEPTH) throw fault('json_too_deep', file.where(line));
  try {
    value = JSON.parse(text);
  } catch {
    throw fault(unfinished ? 'json_truncated' : 'json_invalid', file.where(line));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fault('json_not_object', file.where(line));
  }
  // Half of a surrogate pair is no text: nothing behind us could keep it.
  if (SURROGATE_ESCAPE.test(text) && LONE_SURROGATE.test(JSON.stringify(value))) {
    throw fault('encoding_invalid', file.where(line));
  }
  return value as Document;
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

/** Line breaks between tokens become spaces; within strings of valid JSON there are none. */
function onOneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]/g, ' ') : text;
}

function withTexts(text: string, columns: readonly string[]): string {
  const exact = parseExact(text) as Record<string, unknown>;
  for (const name of columns) {
    const number = numeral(exact[name]);
    if (number !== undefined) exact[name] = number;
  }
  return JSON.stringify(exact);
}

function isText({ type, contentEncoding }: JsonSchema): boolean {
  return Array.isArray(type) && type.includes('string') && contentEncoding === undefined;
}
