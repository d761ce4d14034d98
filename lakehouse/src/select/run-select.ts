import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DuckdbSession, openSession } from '../duckdb/duckdb-session.ts';
import { identifier, sqlType } from '../duckdb/duckdb-sql.ts';
import { duckdbError } from '../error/duckdb-error.ts';
import { LakehouseError } from '../error/error.ts';
import type { StagedFile } from '../manifest/stats.ts';
import type { PartitionSpec } from '../partition/partition-spec.ts';
import { sourcePaths } from '../rows/live-rows.ts';
import type { PinnedRows } from '../rows/pinned-rows.ts';
import { openSource } from '../rows/row-source.ts';
import type { Column, TableSchema } from '../schema/types.ts';
import { draftFolder, writeFiles } from '../stage/stage-write.ts';
import type { FileIO } from '../store/fileio.ts';
import { fenceSession, watchFiles } from './fence.ts';
import { inputViewSql } from './input-view.ts';

export type SelectorOptions = {
  /** Where inputs lie and finished files go. */
  readonly io: FileIO;
  /** A local folder of the selector's own: drafts and spilled memory. */
  readonly scratch: string;
  /** What DuckDB may hold before it spills, such as `1GB`. */
  readonly memoryLimit: string;
  readonly threads: number;
  /** After so long a statement is `query_deadline`. */
  readonly deadlineMs: number;
  /** Throws unless the statement may run over these inputs; it is given DuckDB's own tree of the text. */
  readonly gate: (statement: {
    readonly ast: unknown;
    readonly sql: string;
    readonly inputs: readonly string[];
  }) => void;
};

/** A statement over inputs by the names that it has for them. */
export type SelectInputs = ReadonlyMap<string, PinnedRows>;

export type RunSelectRequest = {
  readonly sql: string;
  readonly inputs: SelectInputs;
  /** The columns of the result under the ids of the table; each is in the result. */
  readonly schema: TableSchema;
  readonly spec?: PartitionSpec;
  /** The folder of the run below the table's data. */
  readonly folder: string;
  /** Statements over `result` and the inputs, each of which answers the rows that are wrong. */
  readonly checks?: readonly { readonly name: string; readonly sql: string }[];
};

export type RunSelectResult = {
  readonly rows: number;
  readonly files: readonly StagedFile[];
  readonly checks: readonly { readonly name: string; readonly failures: string }[];
};

export type Selector = {
  /** The columns that the result would have. Reads no rows. */
  describe(sql: string, inputs: SelectInputs): Promise<Column[]>;
  /** Writes the result as data files; when a check fails, and on every failure, there are none. */
  run(request: RunSelectRequest): Promise<RunSelectResult>;
};

/** The name by which checks know the result. */
const RESULT = 'result';
/** An interrupt between two statements is lost: it is repeated until the work ends. */
const INTERRUPT_INTERVAL_MS = 50;

/** Runs SELECTs of users over pinned inputs, each in a fenced DuckDB of its own. Memory of this process is not bounded by it. */
export function createSelector(options: SelectorOptions): Selector {
  return {
    describe: (sql, inputs) =>
      fenced(options, { inputs, folder: undefined }, async (session) => {
        await passGate(options, session, { sql, inputs: [...inputs.keys()] });
        // It brings DuckDB's library, which most processes that know the tables never load.
        const { resultColumns } = await import('./describe-select.ts');
        const { names, types } = await session.columns(sql);
        return resultColumns(names, types);
      }),
    run: (request) =>
      fenced(options, request, (session, assertSame) => runSelect(options, request, { session, assertSame })),
  };
}

/** Tells what a gate throws, which is passed on as it is, from errors of DuckDB, which quote values. */
class GateRefusal extends Error {
  override readonly name = 'GateRefusal';

  constructor(cause: unknown) {
    super('The gate refuses the statement', { cause });
  }
}

async function passGate(
  { gate }: SelectorOptions,
  session: DuckdbSession,
  { sql, inputs }: { sql: string; inputs: readonly string[] },
): Promise<void> {
  const [row] = await session.rows<{ tree: string }>('SELECT json_serialize_sql($1::VARCHAR) AS tree', {}, [sql]);
  try {
    gate({ ast: JSON.parse(row?.tree ?? 'null'), sql, inputs });
  } catch (error) {
    throw new GateRefusal(error);
  }
}

async function runSelect(
  options: SelectorOptions,
  request: RunSelectRequest,
  { session, assertSame }: { session: DuckdbSession; assertSame: () => Promise<void> },
): Promise<RunSelectResult> {
  const { sql, schema, spec, folder, checks = [] } = request;
  const inputs = [...request.inputs.keys()];
  await passGate(options, session, { sql, inputs });
  for (const check of checks) await passGate(options, session, { sql: check.sql, inputs: [...inputs, RESULT] });
  const cast = schema.fields.map(
    (field) => `CAST(${identifier(field.name)} AS ${sqlType(field.type)}) AS ${identifier(field.name)}`,
  );
  const query = `SELECT ${cast.join(', ')} FROM (\n${sql}\n)`;
  const writer = { io: options.io, session, scratch: options.scratch };
  const draft = await writeFiles(writer, { query, schema, folder, ...(spec && { spec }) });
  try {
    const empty = `SELECT ${schema.fields.map((field) => `CAST(NULL AS ${sqlType(field.type)}) AS ${identifier(field.name)}`).join(', ')} WHERE false`;
    const written = draft.rows > 0 ? `SELECT * FROM read_parquet(${draft.paths}, hive_partitioning = false)` : empty;
    await session.rows(`CREATE VIEW ${RESULT} AS ${written}`);
    const found: { name: string; failures: string }[] = [];
    for (const check of checks) {
      const [row] = await session.rows<{ n: string }>(`SELECT count(*) AS n FROM (\n${check.sql}\n)`);
      found.push({ name: check.name, failures: row?.n ?? '0' });
    }
    await assertSame();
    if (found.some(({ failures }) => failures !== '0')) return { rows: draft.rows, files: [], checks: found };
    return { rows: draft.rows, files: await draft.publish(), checks: found };
  } finally {
    await draft.discard();
  }
}

/** A session that reaches its inputs and the draft folder alone, for one piece of work that ends by the deadline. */
async function fenced<T>(
  { io, scratch, memoryLimit, threads, deadlineMs }: SelectorOptions,
  { inputs, folder }: { inputs: SelectInputs; folder: string | undefined },
  work: (session: DuckdbSession, assertSame: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const tempDirectory = join(scratch, 'spill');
  await mkdir(tempDirectory, { recursive: true });
  const opened: Awaited<ReturnType<typeof openSource>>[] = [];
  const session = await openSession({ memoryLimit, threads, tempDirectory });
  let repeated: NodeJS.Timeout | undefined;
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    session.interrupt();
    repeated = setInterval(() => session.interrupt(), INTERRUPT_INTERVAL_MS);
  }, deadlineMs);
  try {
    const paths: string[] = [];
    for (const [name, rows] of inputs) {
      const one = await openSource(io, rows);
      opened.push(one);
      const here = sourcePaths(one.source);
      paths.push(...here);
      const shapes = await session.shapes(here);
      const view = inputViewSql(one.source, rows.schema.fields, shapes);
      await session.rows(`CREATE VIEW ${identifier(name)} AS ${view}`);
    }
    const drafts = folder === undefined ? [] : [dirname(draftFolder({ io, scratch }, folder).draft)];
    const watched = await watchFiles(paths);
    await fenceSession(session, { paths, folders: [...drafts, tempDirectory] });
    const result = await work(session, watched.assertSame);
    return result;
  } catch (error) {
    if (isLate) throw new LakehouseError('query_deadline', 'The statement took longer than it may');
    if (error instanceof GateRefusal) throw error.cause;
    throw duckdbError(error, 'query_failed', 'The statement failed');
  } finally {
    clearTimeout(deadline);
    clearInterval(repeated);
    session.close();
    for (const one of opened) one.release();
  }
}
