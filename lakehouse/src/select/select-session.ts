import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DuckdbSession, openSession } from '../duckdb/duckdb-session.ts';
import { identifier, literal } from '../duckdb/duckdb-sql.ts';
import { withinDeadline } from '../duckdb/within-deadline.ts';
import { duckdbError } from '../error/duckdb-error.ts';
import { sourcePaths } from '../rows/live-rows.ts';
import type { PinnedRows } from '../rows/pinned-rows.ts';
import { openSource } from '../rows/row-source.ts';
import { draftFolder } from '../stage/stage-write.ts';
import { fenceSession, watchFiles } from './fence.ts';
import { inputViewSql } from './input-view.ts';
import type { SelectInputs, SelectOnto, SelectorOptions, SelectWithin } from './select-types.ts';
import { GateRefusal } from './statement.ts';

/** What work is given beside the session. */
export type Fenced = {
  readonly assertSame: () => Promise<void>;
  /** Has the name of the input that changed stand for its changed rows, or for all again. */
  readonly show: (which: 'changed' | 'whole') => Promise<void>;
  /** A statement of all rows of the table that a result goes to, where checks read them. */
  readonly onto: string | undefined;
};

type Work<T> = (session: DuckdbSession, tools: Fenced) => Promise<T>;

type FencedRequest = {
  readonly inputs: SelectInputs;
  readonly folder?: string;
  readonly ordered?: boolean;
  readonly within?: SelectWithin | undefined;
  readonly onto?: SelectOnto | undefined;
  /** When the run was made; the time of the call without it. */
  readonly startedAt?: Date | undefined;
};

/** A session that reaches its inputs and the draft folder alone, for one piece of work that ends by the deadline. */
export async function fenced<T>(
  { io, scratch, memoryLimit, spillLimit, threads, deadlineMs, reserve }: SelectorOptions,
  { inputs, folder, ordered = false, within, onto, startedAt = new Date() }: FencedRequest,
  work: Work<T>,
): Promise<T> {
  const tempDirectory = join(scratch, 'spill');
  await mkdir(tempDirectory, { recursive: true });
  const opened: Awaited<ReturnType<typeof openSource>>[] = [];
  const limits = { memoryLimit, threads, ordered, reserve, ...(spillLimit === undefined ? {} : { spillLimit }) };
  const session = await openSession({ ...limits, tempDirectory });
  const inside = async (): Promise<T> => {
    const paths: string[] = [];
    const viewOf = async (rows: PinnedRows): Promise<string> => {
      const one = await openSource(io, rows);
      opened.push(one);
      const here = sourcePaths(one.source);
      paths.push(...here);
      return inputViewSql(one.source, rows.schema.fields, await session.shapes(here));
    };
    const views = { whole: '', changed: within === undefined ? '' : await viewOf(within.changed) };
    for (const [name, rows] of inputs) {
      const sql = await viewOf(rows);
      if (name === within?.input) views.whole = sql;
      await createView(session, name, sql);
    }
    const show: Fenced['show'] = (which) => createView(session, within?.input ?? '', views[which]);
    const table = onto && (await viewOf(onto.rows));
    const drafts = folder === undefined ? [] : [dirname(draftFolder({ io, scratch }, folder).draft)];
    const watched = await watchFiles(paths);
    await createRunClock(session, startedAt);
    await session.rows('SET errors_as_json = true');
    await fenceSession(session, { paths, folders: [...drafts, tempDirectory] });
    return await work(session, { assertSame: watched.assertSame, show, onto: table });
  };
  try {
    return await withinDeadline(session, deadlineMs, inside);
  } catch (error) {
    if (error instanceof GateRefusal) throw error.cause;
    throw duckdbError(error, 'query_failed', 'The statement failed');
  } finally {
    session.close();
    for (const one of opened) one.release();
  }
}

const createView = (session: DuckdbSession, name: string, sql: string): Promise<void> =>
  createIn(session, name, (path) => `CREATE OR REPLACE VIEW ${path} AS ${sql}`);

/** Creates something under the name of an input: its catalogue and schema are databases in memory, which hold nothing else. */
export async function createIn(
  session: DuckdbSession,
  name: string,
  statement: (path: string) => string,
): Promise<void> {
  const path = name.split('.').map(identifier);
  const [catalog, schema, table] = path;
  if (table !== undefined) {
    await session.rows(`ATTACH IF NOT EXISTS ${literal(':memory:')} AS ${catalog}`);
    await session.rows(`CREATE SCHEMA IF NOT EXISTS ${catalog}.${schema}`);
  }
  await session.rows(statement(path.join('.')));
}

/** Lets statements call `run_started_at()`: the same moment in every attempt of a run. */
export async function createRunClock(session: DuckdbSession, at: Date): Promise<void> {
  await session.rows(`CREATE MACRO run_started_at() AS ${literal(at.toISOString())}::TIMESTAMPTZ`);
}
