import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rowChecksumSql } from '../duckdb/checksum.ts';
import type { DuckdbSession, RunMode } from '../duckdb/duckdb-session.ts';
import { identifier, literal } from '../duckdb/duckdb-sql.ts';
import { LakehouseError } from '../error/error.ts';
import { type CopyStats, type StagedFile, stagedFileFromStats } from '../manifest/stats.ts';
import type { PartitionSpec } from '../partition/partition-spec.ts';
import { allFields, fixedLength, type TableSchema } from '../schema/types.ts';
import type { FileIO } from '../store/fileio.ts';
import { PARTITION_COLUMN, partitionExpressions, partitionKeySql, partitionValues } from './stage-partition.ts';
import { writeSql } from './stage-sql.ts';
import { type FilesFigures, WIDE_FIELDS, wideFigures } from './wide-figures.ts';

export type Writer = { readonly io: FileIO; readonly session: DuckdbSession; readonly scratch: string };

export type WriteRequest = {
  /** The rows, with the columns of the schema. */
  readonly query: string;
  readonly schema: TableSchema;
  readonly spec?: PartitionSpec;
  readonly folder: string;
  readonly mode?: RunMode;
  readonly rowGroupRows?: number;
  readonly fileBytes?: string;
};

/** Files that are written and lie in a draft folder of this machine. */
export type DraftFiles = {
  readonly stats: readonly CopyStats[];
  readonly rows: number;
  /** As a list literal of their paths. */
  readonly paths: string;
  /** Makes them durable files below the folder of the request. On failure those that were are removed again. */
  publish(): Promise<StagedFile[]>;
  /** Removes what was not published. */
  discard(): Promise<void>;
};

const pathsSql = (stats: readonly CopyStats[]): string => `[${stats.map((one) => literal(one.filename)).join(', ')}]`;

// DuckDB writes them as bytes of any length, and a table with such a file is one that other engines refuse to read.
function assertWritable({ fields }: TableSchema): void {
  const fixed = allFields(fields).filter(({ type }) => fixedLength(type) !== undefined);
  if (fixed.length === 0) return;
  throw new LakehouseError('unsupported_type', 'Columns of a fixed length are read and not written', {
    columns: fixed.map(({ name }) => name),
  });
}

/**
 * Writes the rows of a query as data files, divided by the transforms of a spec; on failure nothing is left. A schema
 * with a `fixed` column is `unsupported_type`.
 */
export async function writeFiles(writer: Writer, request: WriteRequest): Promise<DraftFiles> {
  const { session } = writer;
  const { query, schema, spec, folder, mode, rowGroupRows, fileBytes } = request;
  assertWritable(schema);
  const { draft, discard } = draftFolder(writer, folder);
  const fields = spec ? partitionExpressions(spec, schema) : [];
  const divided = fields.length ? `SELECT *, ${partitionKeySql(fields)} AS ${PARTITION_COLUMN} FROM (${query})` : query;
  const options = {
    folder: draft,
    schema,
    ...(fields.length ? { partitionColumn: PARTITION_COLUMN } : {}),
    ...(rowGroupRows === undefined ? {} : { rowGroupRows }),
    ...(fileBytes === undefined ? {} : { fileBytes }),
    ordered: mode?.ordered ?? false,
  };
  try {
    await mkdir(dirname(draft), { recursive: true });
    const written = await session.rows<CopyStats>(writeSql(divided, options), mode);
    const stats = written.filter((one) => Number(one.count) > 0);
    const partitions = fields.length && stats.length ? await partitionsOf(session, fields, stats) : undefined;
    return draftFiles(writer, { stats, schema, folder, spec, partitions }, discard);
  } catch (error) {
    await discard();
    throw error;
  }
}

/** A folder of this machine for drafts of files below a folder of a table; it is not made yet. */
export function draftFolder({ io, scratch }: Pick<Writer, 'io' | 'scratch'>, folder: string) {
  const draft = io.draftPath(`${folder}/${randomUUID()}`) ?? join(scratch, randomUUID());
  return { draft, discard: (): Promise<void> => rm(draft, { recursive: true, force: true }) };
}

type Drafted = Pick<WriteRequest, 'schema' | 'folder'> & {
  readonly stats: readonly CopyStats[];
  readonly spec: PartitionSpec | undefined;
  readonly partitions: Partitions | undefined;
};

/** Files that lie in a draft folder, as their figures tell them. */
export function draftFiles(writer: Writer, drafted: Drafted, discard: DraftFiles['discard']): DraftFiles {
  const { stats } = drafted;
  const rows = stats.reduce((sum, one) => sum + Number(one.count), 0);
  return { stats, rows, paths: pathsSql(stats), publish: () => publish(writer, drafted), discard };
}

type Partitions = ReadonlyMap<string, StagedFile['partition']>;

// Every row of a file has the same partition, so the first one tells it.
async function partitionsOf(
  session: DuckdbSession,
  fields: ReturnType<typeof partitionExpressions>,
  stats: readonly CopyStats[],
): Promise<Partitions> {
  const values = fields.map(({ sql }, index) => `${sql} AS ${identifier(`_p${index}`)}`).join(', ');
  const rows = await session.rows<Record<string, string | null>>(
    `SELECT filename AS _file, ${values} FROM read_parquet(${pathsSql(stats)}, filename = true, file_row_number = true)
     WHERE file_row_number = 0`,
  );
  return new Map(
    rows.map((row) => [
      row._file ?? '',
      partitionValues(
        fields,
        fields.map((_field, index) => row[`_p${index}`] ?? null),
      ),
    ]),
  );
}

async function publish({ io }: Writer, what: Drafted): Promise<StagedFile[]> {
  const done: StagedFile[] = [];
  try {
    for (const stats of what.stats) {
      const location = `${what.folder}/${randomUUID()}.parquet`;
      const staged = stagedFileFromStats(stats, what.schema);
      await io.upload(stats.filename, location);
      const partition = what.partitions?.get(stats.filename);
      done.push({
        ...staged,
        location,
        ...(what.spec ? { spec_id: what.spec['spec-id'] } : {}),
        ...(partition ? { partition } : {}),
      });
    }
    return done;
  } catch (error) {
    for (const { location } of done) await io.remove(location).catch(() => undefined);
    throw error;
  }
}

/** More columns than these are read by one thread. */
const MANY_COLUMNS = 300;

/** What is asked of rows for their figures. */
function figuresSql({ schema, whole }: Pick<ReadFigures, 'schema' | 'whole'>): string {
  const has = (name: string): boolean => schema.fields.some((field) => field.name === name);
  return `count(*) AS n, ${has('_errors') ? 'count_if(len(_errors) > 0)' : '0'} AS e,
    ${has('_extra') ? 'count(_extra)' : '0'} AS x, ${rowChecksumSql(schema, whole)} AS c`;
}

/** A row of figures and other texts, as `figuresSql` and whoever adds to it ask for. */
export type FiguresRow = Readonly<Record<string, string | null>>;

/** The figures in a row that was asked for with `figuresSql`. */
export function figuresOf(row: FiguresRow | undefined): FilesFigures {
  return {
    rows: Number(row?.n),
    rowsWithErrors: Number(row?.e),
    rowsWithExtra: Number(row?.x),
    checksum: row?.c ?? '',
  };
}

/** What is read of draft files. */
type ReadFigures = {
  readonly paths: string;
  /** The columns that count; those of a table that it lacks hold no value in any row. */
  readonly schema: Pick<TableSchema, 'fields'>;
  /** Ids of columns whose pages say that they hold a value in every row. */
  readonly whole?: ReadonlySet<number>;
  /** SQL that is asked beside the figures. */
  readonly asked?: string;
};

/**
 * Figures of draft files with all columns of a schema, from their rows as they were written: this is also the proof
 * that they can be read. Costs about a tenth of what typing the rows did.
 */
export async function readFigures(
  session: DuckdbSession,
  { paths, asked = '', ...figures }: ReadFigures,
): Promise<FiguresRow | undefined> {
  const [row] = await session.rows<FiguresRow>(
    `SELECT ${figuresSql(figures)}${asked} FROM read_parquet(${paths}, hive_partitioning = false)`,
    { alone: figures.schema.fields.length > MANY_COLUMNS },
  );
  return row;
}

/** `readFigures` of draft files, and nothing beside them. */
export async function filesFigures(
  session: DuckdbSession,
  { paths }: Pick<DraftFiles, 'paths'>,
  schema: TableSchema,
): Promise<FilesFigures> {
  if (schema.fields.length > WIDE_FIELDS) return wideFigures(session, paths, schema);
  return figuresOf(await readFigures(session, { paths, schema }));
}
