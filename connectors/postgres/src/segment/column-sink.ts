import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Emit } from '@weir/connector-sdk';
import { writeParts } from '@weir/parquet';
import type { RowBlock } from '../copy-rows.ts';
import { recordLine, rowJson } from '../row-json.ts';
import type { FixedMember, RowSink, SinkOptions } from '../row-sink.ts';
import { findRows, noRows, type Rows, takeOdd } from './binary-block.ts';
import { rowTexts } from './binary-rows.ts';
import { type ParquetFile, parquetFile } from './parquet-file.ts';
import { parquetType } from './parquet-type.ts';
import { rowGroup } from './row-group.ts';

/** Longer rows go as lines: whoever reads a segment holds several of the longest values of a column. */
export const MAX_SEGMENT_ROW_BYTES = 1024 * 1024;
/** Rows of so many bytes become a row group. */
const GROUP_BYTES = 16 * 1024 * 1024;
/** A segment of so many bytes is ended; with one row group more it is below what a segment may have. */
const SEGMENT_BYTES = 32 * 1024 * 1024;
/** So is one that unpacks to so many: who reads it, commits and tells of it no later than that. */
const SEGMENT_PLAIN_BYTES = 96 * 1024 * 1024;
/** So much of rows that go as lines is sent at once. */
const LINE_BYTES = 1024 * 1024;
const NO_SPANS = new Int32Array(0);

export type ColumnSinkOptions = SinkOptions & { readonly segment: NonNullable<Emit['segment']> };

/**
 * Takes rows in binary form and hands them over as Parquet files, made in memory: no row becomes an object here, and nothing
 * lies on disk but what the reader gets. Rows with a value that no column holds, and very long ones, go as lines. Several
 * connections may share one.
 */
export function columnSink(options: ColumnSinkOptions): RowSink {
  const types = [...options.columns, ...options.fixed].map(({ name, kind }) => ({ name, type: parquetType(kind) }));
  const fixed = fixedRows(options.fixed);
  const own = rowGroup(options.columns);
  const same = rowGroup(options.fixed.map(({ kind }) => ({ kind, type: '' })));
  const [rows, last] = [noRows(options.columns.length), noRows(options.columns.length)];
  const members = noRows(options.fixed.length);
  let file: ParquetFile | undefined;
  const lines = oddLines(options);
  const turns = oneAtATime();

  const add = (block: RowBlock) => {
    findRows(rows, block, MAX_SEGMENT_ROW_BYTES);
    if (rows.isOdd) takeOdd(rows, (row) => lines.add(rows, row));
    if (!own.add(rows)) {
      takeOdd(rows, (row) => lines.add(rows, row));
      own.add(rows);
    }
    if (options.fixed.length === 0) return;
    findRows(members, fixed(rows.count), Number.POSITIVE_INFINITY);
    same.add(members);
  };
  const endGroup = async () => {
    if (own.rows() === 0) return;
    file ??= parquetFile(types);
    await file.add(own.rows(), [...own.take(), ...same.take()]);
  };
  const endSegment = async () => {
    await endGroup();
    const ended = file;
    file = undefined;
    if (ended !== undefined) await handOver(options.segment, ended);
  };
  const settle = async () => {
    if (own.bytes() >= GROUP_BYTES) await endGroup();
    if (isLarge(file)) await endSegment();
    if (lines.bytes() >= LINE_BYTES) await lines.send();
  };
  const isFull = () => own.bytes() >= GROUP_BYTES || lines.bytes() >= LINE_BYTES;
  return {
    form: 'binary',
    take(block) {
      if (turns.areTaken()) {
        return turns.take(async () => {
          add(block);
          if (isFull()) await settle();
        });
      }
      add(block);
      return isFull() ? turns.take(settle) : undefined;
    },
    lastRow({ bytes, count, lastAt, spans = NO_SPANS }) {
      findRows(last, { bytes, count: 1, lastAt, spans: spans.subarray(2 * count - 2) }, Number.POSITIVE_INFINITY);
      return rowTexts(options.columns, last, 0);
    },
    finish: () =>
      turns.take(async () => {
        await endSegment();
        await lines.send();
      }),
  };
}

/** Rows that go as lines, gathered. */
function oddLines({ columns, fixed, envelope, emit }: ColumnSinkOptions) {
  const same = fixed.map(({ name, json }) => `${JSON.stringify(name)}:${json}`);
  let lines: string[] = [];
  let bytes = 0;
  return {
    bytes: () => bytes,
    add(rows: Rows, at: number) {
      const row = rowJson(columns, rowTexts(columns, rows, at));
      row.members.push(...same);
      const line = recordLine(envelope, row);
      lines.push(line);
      bytes += line.length;
    },
    async send() {
      const ready = lines;
      [lines, bytes] = [[], 0];
      if (ready.length > 0) await emit.lines(Buffer.from(ready.join('')), ready.length);
    },
  };
}

/** Does one piece of work after the other; after one that failed, all others fail as it did. */
function oneAtATime() {
  let last: Promise<void> | undefined;
  return {
    areTaken: () => last !== undefined,
    take(work: () => Promise<void>): Promise<void> {
      const mine = (last ?? Promise.resolve()).then(work);
      last = mine;
      mine.then(
        () => {
          if (last === mine) last = undefined;
        },
        () => undefined,
      );
      return mine;
    },
  };
}

const isLarge = (file: ParquetFile | undefined): boolean =>
  file !== undefined && (file.bytes() >= SEGMENT_BYTES || file.plainBytes() >= SEGMENT_PLAIN_BYTES);

async function handOver(segment: NonNullable<Emit['segment']>, file: ParquetFile): Promise<void> {
  const rows = file.rows();
  const outcome = await segment(async (target) => {
    const hash = createHash('sha256');
    const to: FileHandle = await open(target, 'wx');
    try {
      const parts = file.end();
      for (const part of parts) hash.update(part);
      await writeParts(to, parts);
    } finally {
      await to.close();
    }
    return { rows, sha256: hash.digest('hex') };
  });
  if (outcome === 'too_large') throw new Error('a segment is larger than segments may be');
}

/** Gives blocks of rows that all have the same members, in binary form. */
function fixedRows(members: readonly FixedMember[]): (count: number) => RowBlock {
  const row = Buffer.concat([int16(members.length), ...members.map(binaryMember)]);
  let spans = new Int32Array(0);
  return (count) => {
    if (spans.length < 2 * count) spans = Int32Array.from({ length: 4 * count }, (_, at) => (at & 1) * row.length);
    return { bytes: row, count, lastAt: 0, spans };
  };
}

/** A value behind its length. */
function binaryMember({ kind, json }: FixedMember): Buffer {
  if (json === 'null') return int32(-1);
  if (kind !== 'long') {
    const text = Buffer.from(String(JSON.parse(json)));
    return Buffer.concat([int32(text.length), text]);
  }
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(BigInt(json));
  return Buffer.concat([int32(number.length), number]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
