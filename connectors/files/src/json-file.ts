import { type JsonSchema, parseExact, recordEnvelope } from '@weir/connector-sdk';
import { MAX_COLUMNS } from './csv-file.ts';
import { fault } from './fault.ts';
import type { FileReading } from './file-reading.ts';
import { noteKinds, numeral, type SeenKinds } from './json-columns.ts';
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
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /\\ud[89a-f]/;

type Document = Readonly<Record<string, unknown>>;

/** Notes what a file's first documents have for members; `too_many_columns` when they are too many. */
export async function sampleJson(file: ReadyFile, seen: SeenKinds): Promise<void> {
  let documents = 0;
  let chars = 0;
  await eachFrame(file, async (frame) => {
    parseDocument(frame, file);
    noteKinds(seen, parseExact(frame.text) as Document);
    if (seen.size > MAX_COLUMNS) throw fault('too_many_columns', file.where(frame.line));
    documents += 1;
    chars += frame.text.length;
    return documents < SAMPLE_DOCUMENTS && chars < SAMPLE_CHARS;
  });
}

/**
 * Sends a file's documents as RECORD lines, each with the text that it has in the file, so that every number stays as it
 * is written. Members that no column is for go along. A number in a column of text becomes text, as it is written.
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
  await eachFrame(file, async (frame) => {
    const document = parseDocument(frame, file);
    const asIs = textColumns.every((name) => typeof document[name] !== 'number');
    batch += `${prefix}${asIs ? onOneLine(frame.text) : withTexts(frame.text, textColumns)}${suffix}`;
    count += 1;
    if (batch.length >= BATCH_CHARS) await flush();
    return true;
  });
  await flush();
}

async function eachFrame(file: ReadyFile, use: (frame: Frame) => Promise<boolean>): Promise<void> {
  await withHandle(file.path, file.where(), async (handle) => {
    const source = bytesOf(handle, 0, Number.MAX_SAFE_INTEGER);
    for await (const frame of file.format === 'json' ? documentFrames(source, file) : lineFrames(source, file)) {
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
