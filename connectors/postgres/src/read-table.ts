import { type ReadContext, recordEnvelope } from '@weir/connector-sdk';
import type { PostgresConfig } from './config.ts';
import type { ConnectOptions, Session } from './connect.ts';
import { type Copy, type CopyForm, copyRows } from './copy-rows.ts';
import { memberName } from './describe-stream.ts';
import { lineSink } from './line-sink.ts';
import type { FixedMember, RowSink, SinkOptions } from './row-sink.ts';
import { binarySql } from './segment/binary-rows.ts';
import { columnSink } from './segment/column-sink.ts';
import { joinSnapshot, type Snapshot } from './snapshot.ts';
import { identifier } from './sql-text.ts';
import { assertStill } from './still.ts';
import type { Table } from './table.ts';
import { PART_PAGES, type Part, tableParts } from './table-parts.ts';

export type TableReading = {
  readonly config: PostgresConfig;
  readonly options: ConnectOptions;
  readonly table: Table;
  readonly snapshot: Snapshot;
  readonly fixed: readonly FixedMember[];
  readonly context: Pick<ReadContext, 'stream' | 'emit' | 'emittedAt' | 'signal'>;
};

/**
 * Reads a table whole, its parts by several connections that all see one snapshot. When one of them is lost, so is the
 * reading: no other snapshot ever stands in. Nothing is said of a state.
 */
export async function readTable(reading: TableReading): Promise<number> {
  const { table, snapshot, config, context } = reading;
  await assertStill(snapshot.session, table);
  const parts = await tableParts(snapshot.session, table, reading.options.partPages ?? PART_PAGES);
  const estimate = await estimateOf(snapshot.session, table);
  if (estimate !== undefined) await context.emit.estimate({ row_estimate: estimate });
  const count = snapshot.id === undefined ? 1 : Math.min(config.parallelReads, parts.length);
  const sink = sinkOf(reading);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, context.signal]);
  const progress = progressOf(reading, parts);
  const readers = Array.from({ length: count }, async (_, index) => {
    const session = index === 0 ? snapshot.session : await joinSnapshot(config, snapshot.id ?? '', reading.options);
    const end = () => void session.end();
    signal.addEventListener('abort', end, { once: true });
    try {
      for (let part = parts.shift(); part !== undefined && !signal.aborted; part = parts.shift()) {
        await progress(await copyRows(session, copySql(table, part, sink.form), sink.take));
      }
    } catch (error) {
      stop.abort();
      throw error;
    } finally {
      signal.removeEventListener('abort', end);
      if (index > 0) await session.end();
    }
  });
  const outcomes = await Promise.allSettled(readers);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  if (!signal.aborted) await sink.finish();
  return progress.rows();
}

/** The statement that hands over the rows of a part. */
export function copySql({ columns }: Pick<Table, 'columns'>, { from, where }: Part, form: CopyForm): Copy {
  const names = columns.map((column) => (form === 'binary' ? binarySql(column) : identifier(column.name)));
  // A row of one empty column would be an empty line, which is no row.
  if (form === 'csv' && names.length === 1) names.push(`''`);
  const rows = `SELECT ${names.join(', ')} FROM ${from}${where === '' ? '' : ` WHERE ${where}`}`;
  return { form, sql: `COPY (${rows}) TO STDOUT (FORMAT ${form})` };
}

/** Where the rows of a reading go: as segments where the reader of this process takes them, else as lines. */
export function sinkOf({ table, fixed, context }: Omit<TableReading, 'snapshot' | 'config' | 'options'>): RowSink {
  const { stream, emit, emittedAt } = context;
  const isFollowed = fixed.length > 0;
  const columns = table.columns.map((column) => ({ ...column, name: memberName(column.name, isFollowed) }));
  const how: SinkOptions = { columns, fixed, emit, envelope: recordEnvelope(stream.stream, emittedAt) };
  const { segment } = emit;
  return segment === undefined || !haveDistinctNames(table) ? lineSink(how) : columnSink({ ...how, segment });
}

/** Whoever reads segments may not tell names apart by case. */
function haveDistinctNames({ columns }: Table): boolean {
  return new Set(columns.map(({ name }) => name.toLowerCase())).size === columns.length;
}

/** How many rows the server believes that a table has; undefined when it was never looked at. */
async function estimateOf(session: Session, { oid }: Table): Promise<number | undefined> {
  const [row] = await session.rows('SELECT reltuples::bigint AS rows FROM pg_catalog.pg_class WHERE oid = $1::oid', [
    oid,
  ]);
  const rows = Number(row?.rows ?? -1);
  return rows < 0 ? undefined : rows;
}

function progressOf({ table, context }: TableReading, parts: readonly Part[]) {
  const total = parts.length;
  let [done, rows] = [0, 0];
  const tell = async (count: number) => {
    done += 1;
    rows += count;
    if (total > 1) await context.emit.log('INFO', `${table.name}: part ${done} of ${total} read, ${rows} rows`);
  };
  return Object.assign(tell, { rows: () => rows });
}
