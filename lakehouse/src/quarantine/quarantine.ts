import { rm } from 'node:fs/promises';
import { identifier, literal } from '../duckdb/duckdb-sql.ts';
import { duckdbError } from '../error/duckdb-error.ts';
import { LakehouseError } from '../error/error.ts';
import type { StagedFile } from '../manifest/stats.ts';
import type { Column } from '../schema/types.ts';
import { longestLine } from '../spool/spool-lines.ts';
import { MAX_LINE_BYTES } from '../spool/stage-rewrite.ts';
import type { QuarantineRequest } from '../stage/stage-types.ts';
import { type Writer, writeFiles } from '../stage/stage-write.ts';

/**
 * The columns of a quarantine table: one row for each line that was no row, `raw` its exact bytes. A line of a file is known
 * by its number, the byte where it begins and how many bytes it has, of which `raw` may have the first ones.
 */
export const QUARANTINE_COLUMNS: readonly Column[] = [
  { name: 'run_id', type: 'string' },
  { name: 'stream', type: 'string' },
  { name: 'reason', type: 'string' },
  { name: 'position', type: 'long' },
  { name: 'raw', type: 'binary' },
  { name: 'file', type: 'string' },
  { name: 'line', type: 'long' },
  { name: 'byte', type: 'long' },
  { name: 'bytes', type: 'long' },
];

/** Base64 takes four bytes for three, and the rest of the line is short. */
const MAX_REJECTED_BYTES = 2 * MAX_LINE_BYTES;
const ROW_GROUP_ROWS = 2048;
/** The lines of one call are one file, and there are never as many bytes of them. */
const ONE_FILE = '1TB';
/** DuckDB's buffers are as large as the longest line may be, and this large at least. */
const MIN_BUFFER_BYTES = 1024 * 1024;

/** Writes rejected lines as one data file of a quarantine table and removes the files they came in. */
export async function quarantineLines(writer: Writer, request: QuarantineRequest): Promise<StagedFile | undefined> {
  const { rejected, schema, folder, runId, stream } = request;
  const lines = rejected.reduce((sum, one) => sum + one.count, 0);
  if (lines === 0) return undefined;
  const values = new Map([
    ['run_id', literal(runId)],
    ['stream', literal(stream)],
    ['reason', 'reason'],
    ['position', 'position'],
    ['raw', 'from_base64(raw)'],
    ...['file', 'line', 'byte', 'bytes'].map((name) => [name, identifier(name)] as const),
  ]);
  const lengths = await Promise.all(rejected.map(({ path }) => longestLine(path, MAX_REJECTED_BYTES)));
  const columns = schema.fields.map(({ name }) => `${values.get(name) ?? 'NULL'} AS ${identifier(name)}`);
  const query = `SELECT ${columns.join(', ')} FROM read_ndjson([${rejected.map(({ path }) => literal(path)).join(', ')}],
    columns = {position: 'BIGINT', reason: 'VARCHAR', raw: 'VARCHAR', file: 'VARCHAR', line: 'BIGINT', byte: 'BIGINT',
      bytes: 'BIGINT'}, auto_detect = false, records = true,
    maximum_object_size = ${Math.max(MIN_BUFFER_BYTES, ...lengths) + 1})`;
  try {
    const mode = { ordered: true, alone: true };
    const draft = await writeFiles(writer, {
      query,
      schema,
      folder,
      mode,
      rowGroupRows: ROW_GROUP_ROWS,
      fileBytes: ONE_FILE,
    });
    try {
      if (draft.rows !== lines || draft.stats.length !== 1) {
        throw new LakehouseError('lines_lost', 'Rejected lines are missing from their quarantine file');
      }
      const [file] = await draft.publish();
      for (const { path } of rejected) await rm(path, { force: true });
      return file;
    } finally {
      await draft.discard();
    }
  } catch (error) {
    throw duckdbError(error, 'stage_failed', 'The quarantine file could not be written');
  }
}
