import { isUtf8 } from 'node:buffer';
import { type FileHandle, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonSchema, MAX_SEGMENT_BYTES, parseExact, recordEnvelope, type SourceError } from '@weir/connector-sdk';
import { MAX_COLUMNS } from './csv-file.ts';
import { withDuckdb } from './duckdb-session.ts';
import { fault } from './fault.ts';
import type { FileReading } from './file-reading.ts';
import { noteFacts, numeral, type SeenFacts } from './json-columns.ts';
import { documentFrames, type Frame, lineFrames } from './json-frames.ts';
import { bytesOf } from './look-through.ts';
import type { ReadyFile } from './ready-file.ts';
import { linesBefore } from './rejects/lines-before.ts';
import { rejectLines } from './rejects/reject-lines.ts';
import { faultOf, type RejectReason } from './rejects/reject-reason.ts';
import { assertNoPage } from './rejects/web-page.ts';
import { arePlainRows, copyLines, lastLineEnd, markBytes, type Range } from './rows/plain-slice.ts';
import { moveFile, withScratch } from './send-segments.ts';
import { withHandle } from './with-handle.ts';

/** How much of each file says what its columns are: the documents up to either bound. */
const SAMPLE_DOCUMENTS = 10_000;
const SAMPLE_CHARS = 16 * 1024 * 1024;
const MAX_DEPTH = 256;
/** Fewer bytes go as RECORD lines, which a reader puts together to larger files. */
const SLICE_BYTES = { least: 16 * 1024 * 1024, most: MAX_SEGMENT_BYTES };
/** How many characters of lines are given on at once. */
const BATCH_CHARS = 256 * 1024;
const RETURN = 0x0d;
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /\\ud[89a-f]/;

type Document = Readonly<Record<string, unknown>>;

/**
 * Notes what a file's first documents have for members; `too_many_columns` when they are too many. What is no document has
 * no say, unless there is no other.
 */
export async function sampleJson(file: ReadyFile, seen: SeenFacts): Promise<void> {
  let documents = 0;
  let chars = 0;
  let failure: SourceError | undefined;
  await eachFrame(file, async (frame) => {
    chars += frame.length;
    const found = judged(frame, file);
    if ('reason' in found) failure ??= failureOf(file, frame, found.reason);
    else {
      noteFacts(seen, parseExact(found.text) as Document, found.text);
      if (seen.size > MAX_COLUMNS) throw fault('too_many_columns', file.where(frame.line));
      documents += 1;
    }
    return documents < SAMPLE_DOCUMENTS && chars < SAMPLE_CHARS;
  });
  if (documents === 0 && failure !== undefined) throw failure;
}

/**
 * Sends a file's documents: lines of JSON as bytes of the file where that is worth it, else as RECORD lines, each with the
 * text that it has in the file, so that every number stays as it is written. Members that no column is for go along. A number in a
 * column of text becomes text, as it is written. Other lines go to quarantine; a JSON file without any document fails.
 */
export async function readJson(file: ReadyFile, reading: FileReading, sizes = SLICE_BYTES): Promise<void> {
  // Before anything is sent: what is said against the one file may not come with the rows of the next.
  if (file.format === 'json') await assertDocument(file);
  const lines = recordLines(file, reading);
  const { size } = await stat(file.text.path);
  const isWorth = file.format === 'jsonl' && file.isDamaged !== true && size >= sizes.least;
  if (isWorth && reading.lineFile !== undefined) {
    await readSlices(file, { ...reading, lineFile: reading.lineFile, sizes }, lines);
  } else {
    await eachFrame(file, async (frame) => {
      await lines.put(frame, judged(frame, file));
      return true;
    });
  }
  await lines.end();
}

/** Sends documents as RECORD lines, and other frames to quarantine. */
function recordLines(file: ReadyFile, reading: FileReading) {
  const { prefix, suffix } = recordEnvelope(reading.stream, reading.emittedAt, reading.from);
  const textColumns = textColumnsOf(reading);
  const rejects = rejectLines(file, reading);
  let batch = '';
  let count = 0;
  const flush = async () => {
    reading.signal.throwIfAborted();
    if (count > 0) await reading.onLines(Buffer.from(batch), count);
    batch = '';
    count = 0;
  };
  return {
    flush,
    async put(frame: Frame, found: Judged): Promise<void> {
      if ('reason' in found) {
        const { reason } = found;
        if (frame.isOpen) file.holdBack(frame.byte);
        await flush();
        const bytes = withoutReturn(frame.bytes);
        return rejects.put({ ...frame, bytes, length: frame.length - frame.bytes.length + bytes.length, reason });
      }
      const { document, text } = found;
      const asIs = isAsWritten(document, textColumns);
      batch += `${prefix}${asIs ? onOneLine(text) : withTexts(text, textColumns)}${suffix}`;
      count += 1;
      if (batch.length >= BATCH_CHARS) await flush();
    },
    async end(): Promise<void> {
      await flush();
      await rejects.end();
    },
  };
}

/** Sends slices of whole lines as files, and others, what is left of them and the last line as RECORD lines. */
async function readSlices(
  file: ReadyFile,
  reading: FileReading & {
    readonly lineFile: NonNullable<FileReading['lineFile']>;
    readonly sizes: typeof SLICE_BYTES;
  },
  lines: ReturnType<typeof recordLines>,
): Promise<void> {
  const { path, from, to } = file.text;
  const textColumns = textColumnsOf(reading);
  await assertNoPage(file);
  let line = (await linesBefore(file, from)) + 1;
  const put = async (handle: FileHandle, range: Range): Promise<void> => {
    for await (const frame of lineFrames(bytesOf(handle, range.from, range.to), { byte: range.from, line })) {
      await lines.put(frame, judged(frame, file));
    }
  };
  await withHandle(path, file.where(), (handle) =>
    withDuckdb(file, (connection) =>
      withScratch(async (scratch) => {
        let at = from + (from === 0 ? await markBytes(handle) : 0);
        while (to - at >= reading.sizes.least) {
          reading.signal.throwIfAborted();
          const end = await lastLineEnd(handle, { from: at, to: Math.min(at + reading.sizes.most, to) });
          if (end === undefined) break;
          const part = join(scratch, 'slice.jsonl');
          const slice = { from: at, to: end };
          const { isStrict, sha256, lines: rows } = await copyLines(handle, slice, part);
          if (isStrict && (await arePlainRows(connection, part, { lines: rows, textColumns }))) {
            await lines.flush();
            await reading.lineFile(
              async (target) => ({ rows, sha256: await moved(part, target, sha256) }),
              reading.from,
            );
          } else {
            await put(handle, slice);
            await rm(part);
          }
          line += rows;
          at = end;
        }
        await put(handle, { from: at, to });
      }),
    ),
  );
}

async function moved(part: string, target: string, sha256: string): Promise<string> {
  await moveFile(part, target);
  return sha256;
}

const textColumnsOf = ({ columns }: FileReading): string[] =>
  Object.entries(columns).flatMap(([name, schema]) => (isText(schema) ? [name] : []));
/** Whether no column of text has a number. */
const isAsWritten = (document: Document, textColumns: readonly string[]): boolean =>
  textColumns.every((name) => typeof document[name] !== 'number');

/** A file in which something stands, and no document, fails. */
async function assertDocument(file: ReadyFile): Promise<void> {
  let failure: SourceError | undefined;
  let hasDocument = false;
  await eachFrame(file, async (frame) => {
    const found = judged(frame, file);
    if ('reason' in found) failure ??= failureOf(file, frame, found.reason);
    else hasDocument = true;
    return !hasDocument;
  });
  if (!hasDocument && failure !== undefined) throw failure;
}

type Judged = { readonly document: Document; readonly text: string } | { readonly reason: RejectReason };

/** A document, or why a frame is none. */
function judged({ bytes, reason, isOpen }: Frame, { isDamaged }: ReadyFile): Judged {
  if (reason !== undefined) return { reason };
  if (isDamaged && !isUtf8(bytes)) return { reason: 'invalid_utf8' };
  const text = bytes.toString('utf8');
  let value: unknown;
  if (text.length > MAX_DEPTH && depthOf(text) > MAX_DEPTH) return { reason: 'too_deep' };
  try {
    value = JSON.parse(text);
  } catch {
    return { reason: isOpen && /^\s*\{/.test(text) ? 'truncated' : 'malformed_json' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { reason: 'not_object' };
  // Half of a surrogate pair is no text: nothing behind us could keep it.
  if (SURROGATE_ESCAPE.test(text) && LONE_SURROGATE.test(JSON.stringify(value))) return { reason: 'lone_surrogate' };
  return { document: value as Document, text };
}

function failureOf(file: ReadyFile, { line }: Frame, reason: RejectReason): SourceError {
  return fault(faultOf(reason, file.format), file.where(line));
}

/** The line break of a line in a file with CRLF is no part of it. */
function withoutReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes;
}

async function eachFrame(file: ReadyFile, use: (frame: Frame) => Promise<boolean>): Promise<void> {
  const { path, from, to } = file.text;
  await assertNoPage(file);
  const line = file.format === 'jsonl' ? (await linesBefore(file, from)) + 1 : 1;
  await withHandle(path, file.where(), async (handle) => {
    const source = bytesOf(handle, from, to);
    for await (const frame of file.format === 'json'
      ? documentFrames(source)
      : lineFrames(source, { byte: from, line })) {
      if (!(await use(frame))) return;
    }
  });
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
