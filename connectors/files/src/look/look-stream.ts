import {
  type LookFile,
  type LookNote,
  type LookPlace,
  parseExact,
  SourceError,
  type StreamLook,
} from '@weir/connector-sdk';
import type { ColumnMap } from '../columns/column-type.ts';
import { openCsv } from '../csv-file.ts';
import { numeral } from '../json-columns.ts';
import { readFile } from '../read-file.ts';
import type { ReadyFile } from '../ready-file.ts';
import type { FileStream, SourceFile } from '../source-file.ts';
import { recordLines } from './record-lines.ts';
import { shownText, type TextRecord, valueWatch } from './value-watch.ts';

/** What is looked at of one file at most. */
const MAX_RECORDS = 10_000;
const MAX_CELLS = 1_000_000;
const MAX_FILES = 20;
const SHOWN_ROWS = 5;
const SHOWN_COLUMNS = 50;
const SHOWN_PLACES = 20;
const MAX_NOTES = 100;

/** What discovery found of a stream. */
export type Described = {
  readonly columns: ColumnMap;
  /** Columns of days whose order is open. */
  readonly open: readonly string[];
  /** The first file whose header looks like a row. */
  readonly headerLikeRow: string | undefined;
};
export type Ready = (file: SourceFile, use: (ready: ReadyFile) => Promise<void>) => Promise<void>;

/** The first rows of a stream as they will be sent, and what does not fit; it reads its files once more, but for their ends. */
export async function lookAt(
  { name, files, types = [] }: FileStream,
  described: Described,
  ready: Ready,
): Promise<StreamLook> {
  const columns = [...described.columns.keys()].slice(0, SHOWN_COLUMNS);
  const rows: (string | null)[][] = [];
  const isExplained = (column: string) =>
    described.open.includes(column) || types.some((one) => one.column === column && one.type === 'text');
  const watch = valueWatch(new Map([...described.columns].filter(([column]) => !isExplained(column))));
  const looked: LookFile[] = [];
  const notes: LookNote[] = notesOf(described);
  const sum = { records: 0, rejected: 0, isWhole: files.length <= MAX_FILES };
  for (const file of files.slice(0, MAX_FILES)) {
    await ready(file, async (found) => {
      looked.push(await factsOf(found, file));
      const seen = await lookInto(found, { name, columns: described.columns }, (record, line) => {
        if (rows.length < SHOWN_ROWS) rows.push(columns.map((column) => shown(record.get(column))));
        if (found.format !== 'parquet') watch.note(record, { file: file.name, line });
      });
      sum.records += seen.records;
      sum.rejected += seen.rejected;
      sum.isWhole &&= seen.isWhole;
      notes.push(...seen.notes);
    });
  }
  const rest = files.filter((file) => !looked.some((one) => one.name === file.name));
  return {
    name,
    files: [...looked, ...rest.map(({ name, format }) => ({ name, format }))],
    records: sum.records,
    is_whole: sum.isWhole,
    rejected: sum.rejected,
    columns,
    rows,
    notes: [...notes, ...watch.notes()].slice(0, MAX_NOTES),
  };
}

/** A stream that cannot be described: its files alone. */
export function unseen({ name, files }: FileStream): StreamLook {
  const listed = files.slice(0, MAX_FILES).map(({ name, format }) => ({ name, format }));
  return { name, files: listed, records: 0, is_whole: false, rejected: 0, columns: [], rows: [], notes: [] };
}

function notesOf({ open, headerLikeRow: file }: Described): LookNote[] {
  const days = open.map((column): LookNote => ({ kind: 'order_open', column, count: 0, places: [] }));
  if (file === undefined) return days;
  return [...days, { kind: 'header_like_row', count: 1, places: [{ file, text: '' }] }];
}

async function factsOf(file: ReadyFile, { name, format, header }: SourceFile): Promise<LookFile> {
  const encoding = file.encoding === undefined ? {} : { encoding: file.encoding };
  if (format !== 'csv') return { name, format, ...encoding };
  const { delimiter } = await openCsv(file);
  const line = header === false ? {} : { header_line: (file.text.linesAbove ?? 0) + 1 };
  return { name, format, ...encoding, delimiter, ...line };
}

type Looking = { readonly name: string; readonly columns: ColumnMap };
type Seen = {
  readonly records: number;
  readonly rejected: number;
  readonly isWhole: boolean;
  readonly notes: readonly LookNote[];
};

/** Reads the first records of a file as a sync would, each once with the line where it begins. */
async function lookInto(
  file: ReadyFile,
  { name, columns }: Looking,
  onRecord: (record: TextRecord, line: number | undefined) => void,
): Promise<Seen> {
  const most = Math.max(SHOWN_ROWS, Math.min(MAX_RECORDS, Math.floor(MAX_CELLS / Math.max(1, columns.size))));
  const rejects: Rejected[] = [];
  let rows = 0;
  let isWhole = true;
  const failures: LookNote[] = [];
  try {
    const lines = file.format === 'csv' ? await recordLines(file, most) : undefined;
    for (const { reason, line, bytes } of lines?.rejected ?? []) {
      rejects.push({ reason, line, text: bytes.toString('utf8', 0, SHOWN_BYTES) });
    }
    isWhole = lines?.isWhole ?? true;
    const stop = new AbortController();
    await readFile(file, {
      stream: { name },
      columns: Object.fromEntries(columns),
      emittedAt: 0,
      from: {},
      segment: undefined,
      lineFile: undefined,
      signal: stop.signal,
      log: async () => undefined,
      async onLines(bytes) {
        for (const { data, meta } of recordsIn(bytes)) {
          if (meta?.rejected !== undefined) {
            if (lines === undefined) rejects.push({ ...meta.rejected, text: String(data) });
            continue;
          }
          if (rows >= most) {
            stop.abort(ENOUGH);
            throw ENOUGH;
          }
          onRecord(textsOf(data), lines?.rows[rows]);
          rows += 1;
        }
      },
    });
  } catch (error) {
    if (error === ENOUGH) isWhole = false;
    else if (error instanceof SourceError && error.type !== 'system_error') failures.push(failed(file, error));
    else throw error;
  }
  const notes = [...failures, ...byReason(file.where(), rejects)];
  return { records: rows + rejects.length, rejected: rejects.length, isWhole, notes };
}

/** How much of a line that is no row is shown at most, before it is cut to whole characters. */
const SHOWN_BYTES = 400;
const ENOUGH = new Error('a look has seen enough');

type Rejected = { readonly reason: string; readonly line: number; readonly text: string };
type SentRecord = {
  readonly data: unknown;
  readonly meta?: { readonly rejected?: { readonly reason: string; readonly line: number } };
};

function* recordsIn(bytes: Uint8Array): Generator<SentRecord> {
  for (const line of Buffer.from(bytes).toString('utf8').split('\n')) {
    if (line !== '') yield (parseExact(line) as unknown as { record: SentRecord }).record;
  }
}

/** A record as texts: numbers as they are written, lists and objects as JSON. */
function textsOf(data: unknown): TextRecord {
  return new Map(Object.entries(data as Record<string, unknown>).map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  return numeral(value) ?? JSON.stringify(value);
}

const shown = (text: string | null | undefined) => (text === null || text === undefined ? null : shownText(text));

const failed = (file: ReadyFile, { code, message, hint }: SourceError): LookNote => ({
  kind: 'file_fails',
  reason: code,
  count: 1,
  places: [{ file: file.where(), text: hint === undefined ? message : `${message}. ${hint}` }],
});

function byReason(file: string, rejects: readonly Rejected[]): LookNote[] {
  return [...Map.groupBy(rejects, ({ reason }) => reason)].map(([reason, same]) => {
    const places = same
      .slice(0, SHOWN_PLACES)
      .map(({ line, text }): LookPlace => ({ file, line, text: shownText(text) }));
    return { kind: 'line_rejected', reason, count: same.length, places };
  });
}
