import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { utf8MarkBytes } from '../encoding-sniffer.ts';
import { bytesOf } from '../look-through.ts';
import { literal, pathLiteral } from '../sql-text.ts';

/** Bytes of a file from one line's beginning to another one's. */
export type Range = { readonly from: number; readonly to: number };
/** A copy of a range: how many lines it has, its SHA-256 in hexadecimal digits, and whether what DuckDB reads in it is JSON. */
export type Copied = { readonly lines: number; readonly sha256: string; readonly isStrict: boolean };

const [NEWLINE, OPEN, OPEN_LIST, VERTICAL_TAB, FORM_FEED] = [0x0a, 0x7b, 0x5b, 0x0b, 0x0c];
const LOOK_BACK_BYTES = 1024 * 1024;
const MAX_DEPTH = 256;
/** A line with fewer bytes is never deeper: what opens is closed. */
const DEEP_LINE_BYTES = 2 * MAX_DEPTH;
/** What DuckDB reads and JSON does not have: a comma behind the last member, and words in place of numbers. */
const LENIENT = /,\s*[}\]]|[:,[]\s*-?(?:nan|inf(?:inity)?)\s*[,}\]]/i;

/** Bytes of the mark that a file may begin with. */
export async function markBytes(handle: FileHandle): Promise<number> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(3), 0, 3, 0);
  return utf8MarkBytes(buffer.subarray(0, bytesRead));
}

/** Where the last whole line of a range ends; undefined where no line ends in it. */
export async function lastLineEnd(handle: FileHandle, { from, to }: Range): Promise<number | undefined> {
  for (let end = to; end > from; ) {
    const start = Math.max(from, end - LOOK_BACK_BYTES);
    const block = Buffer.allocUnsafe(end - start);
    const { bytesRead } = await handle.read(block, 0, block.length, start);
    const at = block.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return undefined;
}

/** Copies whole lines to a new file, and looks for bytes that DuckDB may read as JSON and that are not. */
export async function copyLines(handle: FileHandle, { from, to }: Range, target: string): Promise<Copied> {
  const hash = createHash('sha256');
  const look = strictLook();
  const copy = await open(target, 'wx', 0o600);
  try {
    for await (const block of bytesOf(handle, from, to)) {
      hash.update(block);
      look.take(block);
      await copy.writeFile(block);
    }
  } finally {
    await copy.close();
  }
  return { ...look.seen(), sha256: hash.digest('hex') };
}

/** Looks at lines block by block; a text that is lenient across the end of a block is seen as well. */
function strictLook() {
  let lines = 0;
  let isStrict = true;
  let length = 0;
  let opened = 0;
  let tail = '';
  const opens = (block: Buffer, from: number, to: number): void => {
    for (let at = from; at < to; at += 1) if (block[at] === OPEN || block[at] === OPEN_LIST) opened += 1;
  };
  return {
    take(block: Buffer): void {
      const text = tail + block.toString('latin1');
      // White space may be of any length: one that a block ends in is looked at with the next block, which costs time only.
      tail = /[,:[][\s\w-]*$/.exec(text.slice(-LOOK_BACK_BYTES))?.[0] ?? '';
      isStrict &&= !LENIENT.test(text) && !block.includes(VERTICAL_TAB) && !block.includes(FORM_FEED);
      let start = 0;
      for (let end = block.indexOf(NEWLINE); end >= 0; end = block.indexOf(NEWLINE, start)) {
        if (length === 0 && block[start] !== OPEN) isStrict = false;
        if (length + end - start > DEEP_LINE_BYTES) opens(block, start, end);
        if (opened > MAX_DEPTH) isStrict = false;
        lines += 1;
        start = end + 1;
        length = 0;
        opened = 0;
      }
      if (start === block.length) return;
      if (length === 0 && block[start] !== OPEN) isStrict = false;
      // Whether the line is a long one is not known yet.
      opens(block, start, block.length);
      length += block.length - start;
    },
    seen: () => ({ lines, isStrict }),
  };
}

/** Whether DuckDB reads so many rows in a file of lines, none of which has a number in one of these columns. */
export async function arePlainRows(
  connection: DuckDBConnection,
  path: string,
  { lines, textColumns }: { readonly lines: number; readonly textColumns: readonly string[] },
): Promise<boolean> {
  const columns = textColumns.map((name) => `${literal(name)}: 'JSON'`).join(', ');
  const places = textColumns.map((_, at) => `c${at}`);
  const isNumber = places
    .map((name) => `left(${name}::VARCHAR, 1) IN (${[...'-0123456789'].map(literal).join(', ')})`)
    .join(' OR ');
  const source =
    textColumns.length === 0
      ? `read_ndjson_objects(${pathLiteral(path)})`
      : `read_ndjson(${pathLiteral(path)}, columns = {${columns}}, auto_detect = false, records = true) AS t(${places.join(', ')})`;
  try {
    const found = await connection.runAndReadAll(
      `SELECT count(*), count(*) FILTER (${isNumber === '' ? 'false' : isNumber}) FROM ${source}`,
    );
    const [row] = found.getRows();
    return Number(row?.[0]) === lines && Number(row?.[1]) === 0;
  } catch {
    return false;
  }
}
