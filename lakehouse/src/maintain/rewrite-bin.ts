import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NO_ROWS_CHECKSUM, rowChecksumSql } from '../duckdb/checksum.ts';
import { type DuckdbSession, openSession } from '../duckdb/duckdb-session.ts';
import { identifier } from '../duckdb/duckdb-sql.ts';
import { withinDeadline } from '../duckdb/within-deadline.ts';
import { duckdbError } from '../error/duckdb-error.ts';
import { LakehouseError } from '../error/error.ts';
import type { LiveFile } from '../manifest/live-file.ts';
import type { StagedFile } from '../manifest/stats.ts';
import type { PartitionValues } from '../partition/partition-spec.ts';
import { column, hasDeletes, liveRowsSql, type RowSource, sourcePaths } from '../rows/live-rows.ts';
import { openSource, type TableFacts } from '../rows/row-source.ts';
import { plannedFiles } from '../scan/plan-read.ts';
import type { Field, TableSchema } from '../schema/types.ts';
import type { StagerOptions } from '../stage/stage-types.ts';
import { type Writer, writeFiles } from '../stage/stage-write.ts';

export type RewriteRequest = {
  /** Live files of one partition of one spec, in the order in which their rows are written. */
  readonly files: readonly LiveFile[];
  readonly schema: TableSchema;
  readonly table: TableFacts;
  /** Ids of the fields by which rows are sorted; with none they keep their order. */
  readonly sortBy: readonly number[];
  readonly targetBytes: number;
  /** The location of a fresh folder below the table's data location. */
  readonly folder: string;
};

/** Rows and checksum of a set of rows, all columns included. */
export type RowProof = { readonly rows: string; readonly checksum: string };

export type RewriteResult = {
  readonly files: readonly StagedFile[];
  /** Rows of the files before that deletes had taken away. */
  readonly deletedRows: string;
  readonly before: RowProof;
  readonly after: RowProof;
};

export type Rewriter = {
  /**
   * Writes the live rows of some files as fewer files, and reads both to prove that nothing changed; else `rewrite_changed_rows`
   * and no file is left.
   */
  rewrite(request: RewriteRequest): Promise<RewriteResult>;
  close(): void;
};

/** Makes a rewriter with a DuckDB of its own. */
export async function createRewriter(options: StagerOptions): Promise<Rewriter> {
  const { io, scratch, deadlineMs } = options;
  const tempDirectory = join(scratch, 'spill');
  await mkdir(dirname(tempDirectory), { recursive: true });
  const session = await openSession({ ...options, tempDirectory });
  const writer = { io, session, scratch };
  return {
    rewrite: (request) => {
      const work = () => rewriteBin(writer, request);
      return deadlineMs === undefined ? work() : withinDeadline(session, deadlineMs, work);
    },
    close: session.close,
  };
}

async function rewriteBin(writer: Writer, request: RewriteRequest): Promise<RewriteResult> {
  const { files, schema, table, folder, targetBytes } = request;
  const { io, session } = writer;
  const opened = await openSource(io, { files: plannedFiles(files), schema, table });
  try {
    const { source } = opened;
    const before = await proofOf(session, source, schema);
    const shapes = await session.shapes(sourcePaths(source));
    const rows = liveRowsSql(source, schema.fields, shapes);
    const mode = { ordered: request.sortBy.length > 0 || !hasDeletes(source) };
    const draft = await writeFiles(writer, {
      ...{ query: orderedSql(rows, request), schema, folder, mode },
      fileBytes: `${targetBytes}B`,
    });
    try {
      const after = await proofOf(session, sourceOf(draft.stats), schema);
      assertEqual(before, after);
      const held = files.reduce((sum, { recordCount }) => sum + recordCount, 0n);
      const deletedRows = String(held - BigInt(before.rows));
      return { files: (await draft.publish()).map(placedAs(files)), deletedRows, before, after };
    } finally {
      await draft.discard();
    }
  } catch (error) {
    throw duckdbError(error, 'stage_failed', 'Files of a table could not be rewritten');
  } finally {
    opened.release();
  }
}

/** Rows and checksum as readers find them: by field id, over every column. */
async function proofOf(session: DuckdbSession, source: RowSource, { fields }: TableSchema): Promise<RowProof> {
  // A checksum leaves some columns out by their names; here each goes by its id.
  const named = fields.map((field): Field => ({ ...field, name: column(field) }));
  if (source.files.length === 0) return { rows: '0', checksum: NO_ROWS_CHECKSUM };
  const rows = liveRowsSql(source, fields, await session.shapes(sourcePaths(source)));
  const [found] = await session.rows<{ n: string; c: string }>(
    `SELECT count(*) AS n, ${rowChecksumSql({ fields: named })} AS c FROM (${rows})`,
  );
  return { rows: String(found?.n ?? '0'), checksum: found?.c ?? NO_ROWS_CHECKSUM };
}

function assertEqual(before: RowProof, after: RowProof): void {
  if (before.rows === after.rows && before.checksum === after.checksum) return;
  throw new LakehouseError('rewrite_changed_rows', 'A rewrite did not write the rows that it read');
}

function orderedSql(rows: string, { schema, sortBy }: RewriteRequest): string {
  const selected = schema.fields.map((field) => `${column(field)} AS ${identifier(field.name)}`).join(', ');
  const order = sortBy.map((id) => column({ id }));
  return `SELECT ${selected} FROM (${rows})${order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`}`;
}

const sourceOf = (stats: readonly { readonly filename: string }[]): RowSource => ({
  files: stats.map(({ filename }) => ({ path: filename, name: filename, sequence: 0n, partition: '' })),
  positions: [],
  keys: [],
  mapping: undefined,
});

/** A staged file in the partition of the files that it replaces: values are taken over, not computed again. */
function placedAs([first]: readonly LiveFile[]): (file: StagedFile) => StagedFile {
  const values = Object.entries(first?.partition ?? {});
  const partition: PartitionValues = Object.fromEntries(
    values.map(([id, value]) => [id, value?.toString('base64') ?? null]),
  );
  return (file) => ({ ...file, spec_id: first?.specId ?? 0, partition });
}
