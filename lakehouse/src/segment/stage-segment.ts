import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_ROWS_CHECKSUM } from '../duckdb/checksum.ts';
import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import { literal } from '../duckdb/duckdb-sql.ts';
import { duckdbError } from '../error/duckdb-error.ts';
import { LakehouseError } from '../error/error.ts';
import type { CopyResult, RejectedLines, SegmentRequest } from '../stage/stage-types.ts';
import { type DraftFiles, filesFigures, type Writer, writeFiles } from '../stage/stage-write.ts';
import { adoptSegment } from './adopt-segment.ts';
import {
  heldBy,
  keylessSegmentSql,
  type ParquetColumn,
  parquetSql,
  type SegmentReading,
  segmentRowsSql,
  unknownColumns,
} from './stage-segment-sql.ts';

/** Rows of a row group when memory is short. */
const SMALL_ROW_GROUP = 2048;
const OUT_OF_MEMORY = /^Out of Memory Error/;
/** What DuckDB says of content that it cannot read; nothing of a well-formed file raises it. */
const REFUSED = /^(Invalid Input|Conversion|Out of Range|Invalid) Error/;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');

/** The columns of a Parquet file; DuckDB gives a number to a name that differs from another one in case alone. */
async function describe(session: DuckdbSession, source: string): Promise<ParquetColumn[]> {
  const found = await session.rows<{ column_name: string; column_type: string }>(`DESCRIBE FROM ${parquetSql(source)}`);
  const elements = await session.rows<{ name: string; num_children: string | null }>(
    `SELECT name, num_children FROM parquet_schema(${literal(source)})`,
  );
  const names = topLevelNames(
    elements.map(({ name, num_children: children }) => ({ name, children: Number(children ?? 0) })),
  );
  return found.map(({ column_name: readAs, column_type: type }, at) => ({ name: names[at] ?? readAs, type, readAs }));
}

/** The names of the columns of a file, from its schema elements in the order of the format: each before its children. */
function topLevelNames([root, ...elements]: readonly { readonly name: string; readonly children: number }[]): string[] {
  const names: string[] = [];
  let open = 0;
  for (const { name, children } of root === undefined ? [] : elements) {
    if (open === 0) names.push(name);
    open = Math.max(open - 1, 0) + children;
  }
  return names;
}

async function write(writer: Writer, request: SegmentRequest, reading: SegmentReading): Promise<DraftFiles> {
  const { schema, spec, folder, ordered = false } = request;
  const attempt = (alone: boolean, rowGroupRows?: number): Promise<DraftFiles> =>
    writeFiles(writer, {
      query: segmentRowsSql(reading),
      schema,
      ...(spec && !ordered ? { spec } : {}),
      folder,
      mode: { ordered, alone },
      ...(rowGroupRows === undefined ? {} : { rowGroupRows }),
    });
  try {
    // Several threads keep no order of rows over several files.
    return await attempt(ordered);
  } catch (error) {
    if (OUT_OF_MEMORY.test(messageOf(error))) return attempt(true, SMALL_ROW_GROUP);
    throw error;
  }
}

async function rejectKeyless(
  { session, scratch }: Writer,
  reading: SegmentReading,
  { position, count }: { readonly position: number; readonly count: number },
): Promise<RejectedLines> {
  const path = join(scratch, `${randomUUID()}.rejected.ndjson`);
  const copy = `COPY (${keylessSegmentSql(reading, position)}) TO ${literal(path)} (FORMAT json)`;
  const [written] = await session.rows<{ Count: string }>(copy, { ordered: true, alone: true });
  if (Number(written?.Count) !== count) {
    await rm(path, { force: true });
    throw linesLost();
  }
  return { path, count, reasons: { key_missing: count } };
}

const linesLost = (): LakehouseError =>
  new LakehouseError('lines_lost', 'A Parquet file has other rows than were announced');

/**
 * Types the rows of a Parquet file into data files of a table, as `copySpool` does lines: by name, tolerantly, with the
 * same values and marks. Where no value has to change, the file's own pages become the data file (`adoptSegment`). A row
 * without its key is rejected with its values as JSON. A file that cannot be read is `parquet_invalid`, one with other rows
 * than announced `lines_lost`; nothing is left then.
 */
export async function copySegment(writer: Writer, request: SegmentRequest): Promise<CopyResult> {
  const { session } = writer;
  const { source, schema, runId, extractedAt, file, key = [], position } = request;
  let draft: DraftFiles | undefined;
  let rejected: RejectedLines | undefined;
  try {
    const adopted = await adoptSegment(writer, request);
    if (adopted) {
      draft = adopted.draft;
      if ((request.lines ?? draft.rows) !== draft.rows) throw linesLost();
      return { ...adopted.figures, files: await draft.publish(), rejected, unknown: [] };
    }
    const columns = await describe(session, source);
    const reading = { source, columns, schema, runId, extractedAt, file, key };
    const [footer] = await session.rows<{ n: string }>(`SELECT count(*) AS n FROM ${parquetSql(source)}`);
    draft = await write(writer, request, reading);
    const total = Number(footer?.n);
    const keyless = total - draft.rows;
    if (keyless < 0 || (keyless > 0 && key.length === 0) || (request.lines ?? total) !== total) throw linesLost();
    if (keyless > 0) rejected = await rejectKeyless(writer, reading, { position, count: keyless });
    const figures = draft.rows
      ? await filesFigures(session, draft, schema)
      : { rows: 0, rowsWithErrors: 0, rowsWithExtra: 0, checksum: NO_ROWS_CHECKSUM };
    if (figures.rows !== draft.rows) throw linesLost();
    return { ...figures, files: await draft.publish(), rejected, unknown: unknownColumns(reading).map(heldBy) };
  } catch (error) {
    if (rejected) await rm(rejected.path, { force: true });
    if (REFUSED.test(messageOf(error))) throw new LakehouseError('parquet_invalid', 'A Parquet file is damaged');
    throw duckdbError(error, 'stage_failed', 'A Parquet file could not be written as data files');
  } finally {
    await draft?.discard();
  }
}
