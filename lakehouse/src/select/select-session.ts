import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DuckdbSession, openSession } from '../duckdb/duckdb-session.ts';
import { identifier, literal } from '../duckdb/duckdb-sql.ts';
import { duckdbError } from '../error/duckdb-error.ts';
import { LakehouseError } from '../error/error.ts';
import { sourcePaths } from '../rows/live-rows.ts';
import { openSource } from '../rows/row-source.ts';
import { draftFolder } from '../stage/stage-write.ts';
import { fenceSession, watchFiles } from './fence.ts';
import { inputViewSql } from './input-view.ts';
import type { SelectInputs, SelectorOptions } from './select-types.ts';
import { GateRefusal } from './statement.ts';

/** An interrupt between two statements is lost: it is repeated until the work ends. */
const INTERRUPT_INTERVAL_MS = 50;

type Work<T> = (session: DuckdbSession, assertSame: () => Promise<void>) => Promise<T>;

/** A session that reaches its inputs and the draft folder alone, for one piece of work that ends by the deadline. */
export async function fenced<T>(
  { io, scratch, memoryLimit, spillLimit, threads, deadlineMs }: SelectorOptions,
  { inputs, folder, ordered = false }: { inputs: SelectInputs; folder?: string; ordered?: boolean },
  work: Work<T>,
): Promise<T> {
  const tempDirectory = join(scratch, 'spill');
  await mkdir(tempDirectory, { recursive: true });
  const opened: Awaited<ReturnType<typeof openSource>>[] = [];
  const limits = { memoryLimit, threads, ordered, ...(spillLimit === undefined ? {} : { spillLimit }) };
  const session = await openSession({ ...limits, tempDirectory });
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
      await createView(session, name, inputViewSql(one.source, rows.schema.fields, shapes));
    }
    const drafts = folder === undefined ? [] : [dirname(draftFolder({ io, scratch }, folder).draft)];
    const watched = await watchFiles(paths);
    await session.rows('SET errors_as_json = true');
    await fenceSession(session, { paths, folders: [...drafts, tempDirectory] });
    return await work(session, watched.assertSame);
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

/** Catalogue and schema of a name are databases in memory, which hold nothing but views. */
async function createView(session: DuckdbSession, name: string, sql: string): Promise<void> {
  const path = name.split('.').map(identifier);
  const [catalog, schema, table] = path;
  if (table !== undefined) {
    await session.rows(`ATTACH IF NOT EXISTS ${literal(':memory:')} AS ${catalog}`);
    await session.rows(`CREATE SCHEMA IF NOT EXISTS ${catalog}.${schema}`);
  }
  await session.rows(`CREATE VIEW ${path.join('.')} AS ${sql}`);
}
