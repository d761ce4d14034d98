import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LINE_KINDS, type LineKind, type LineKindName } from './line-kinds.ts';

/** Where test data and results of peers are kept between runs. */
export const BENCH_FOLDER = path.resolve(import.meta.dirname, '../../.weir/bench');
const STATE_EVERY_ROWS = 10_000;
const LOG_EVERY_ROWS = 50_000;
const ROWS_PER_CHUNK = 1_000;
const EMITTED_AT_MS = Date.UTC(2026, 0, 1);
/** Changes with every change of the data, so that no file of another version is taken for it. */
const VERSION = 1;

/**
 * A file with what a connector would print for the first `rows` rows of a kind: RECORD lines, a STATE after every 10,000
 * and a LOG after every 50,000. Row n is the same in every file and every run. Made once and kept.
 */
export const lineFile = (kind: LineKindName, rows: number): Promise<string> =>
  keptFile(`${kind}-${rows}-v${VERSION}.jsonl`, () => messageChunks(LINE_KINDS[kind], rows));

/** The data objects of the same rows, one a line, without the protocol around them. */
export const dataFile = (kind: LineKindName, rows: number): Promise<string> =>
  keptFile(`${kind}-${rows}-v${VERSION}-data.jsonl`, () => dataChunks(LINE_KINDS[kind], rows));

/** A folder of its own for what one side of a comparison writes. */
export async function freshFolder(name: string): Promise<string> {
  const parent = path.join(BENCH_FOLDER, 'out');
  await mkdir(parent, { recursive: true });
  return mkdtemp(path.join(parent, `${name}-`));
}

async function keptFile(name: string, chunks: () => Generator<string>): Promise<string> {
  const file = path.join(BENCH_FOLDER, 'lines', name);
  if (existsSync(file)) return file;
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  await pipeline(Readable.from(chunks()), createWriteStream(draft));
  await rename(draft, file);
  return file;
}

function* dataChunks(kind: LineKind, rows: number): Generator<string> {
  for (let first = 1; first <= rows; first += ROWS_PER_CHUNK) {
    let chunk = '';
    for (let row = first; row < Math.min(first + ROWS_PER_CHUNK, rows + 1); row += 1)
      chunk += `${dataObject(kind, row)}\n`;
    yield chunk;
  }
}

/** What a connector prints for `rows` rows from `from` on, in pieces of some hundred kilobytes. */
export function* messageChunks(kind: LineKind, rows: number, from = 1): Generator<string> {
  const { stream } = kind;
  const head = `{"type":"RECORD","record":{"stream":"${stream}","data":`;
  const end = from + rows;
  for (let first = from; first < end; first += ROWS_PER_CHUNK) {
    let chunk = '';
    for (let row = first; row < Math.min(first + ROWS_PER_CHUNK, end); row += 1) {
      chunk += `${head}${dataObject(kind, row)},"emitted_at":${EMITTED_AT_MS + row}}}\n`;
      if (row % STATE_EVERY_ROWS === 0 || row === end - 1) chunk += stateLine(stream, row);
      if (row % LOG_EVERY_ROWS === 0) chunk += `{"type":"LOG","log":{"level":"INFO","message":"${row} rows"}}\n`;
    }
    yield chunk;
  }
  yield completeLine(stream);
}

function dataObject({ columns }: LineKind, row: number): string {
  const random = numbersOf(row);
  let members = '';
  for (const { name, value } of columns) members += `${members === '' ? '' : ','}"${name}":${value(row, random)}`;
  return `{${members}}`;
}

function stateLine(stream: string, row: number): string {
  const of = `"stream_descriptor":{"name":"${stream}"},"stream_state":{"id":${row}}`;
  return `{"type":"STATE","state":{"type":"STREAM","stream":{${of}}}}\n`;
}

function completeLine(stream: string): string {
  const status = `{"stream_descriptor":{"name":"${stream}"},"status":"COMPLETE"}`;
  return `{"type":"TRACE","trace":{"type":"STREAM_STATUS","emitted_at":${EMITTED_AT_MS},"stream_status":${status}}}\n`;
}

/** Pseudo-random numbers that depend on the row alone (mulberry32, Tommy Ettinger). */
function numbersOf(row: number): (below: number) => number {
  let state = Math.imul(row, 0x9e3779b1);
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}
