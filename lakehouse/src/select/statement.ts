import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import { statementError } from '../error/statement-fault.ts';
import type { SelectorOptions } from './select-types.ts';

/** Tells what a gate throws, which is passed on as it is, from errors of DuckDB, which quote values. */
export class GateRefusal extends Error {
  override readonly name = 'GateRefusal';

  constructor(cause: unknown) {
    super('The gate refuses the statement', { cause });
  }
}

/** Ends of a statement that may not stand in a subquery: semicolons, and comments behind them. */
const TAIL = /;(?:[\s;]|--[^\n]*(?:\n|$)|\/\*(?:(?!\*\/)[\s\S])*\*\/)*$/;

/** DuckDB's own tree of a text. */
export async function treeOf(session: DuckdbSession, sql: string): Promise<unknown> {
  const [row] = await session.rows<{ tree: string }>('SELECT json_serialize_sql($1::VARCHAR) AS tree', {}, [sql]);
  return JSON.parse(row?.tree ?? 'null');
}

/** Asks the gate about a statement; answers it as it may stand in a subquery. */
export async function passGate(
  { gate }: Pick<SelectorOptions, 'gate'>,
  session: DuckdbSession,
  { sql: whole, inputs }: { sql: string; inputs: readonly string[] },
): Promise<string> {
  const sql = (await isBody(session, whole)) ? whole : whole.replace(TAIL, '');
  const ast = await treeOf(session, sql);
  try {
    await gate({ ast, sql, inputs });
  } catch (error) {
    throw new GateRefusal(error);
  }
  return sql;
}

async function isBody(session: DuckdbSession, sql: string): Promise<boolean> {
  const tree = (await treeOf(session, `SELECT * FROM (\n${sql}\n)`)) as { error?: boolean };
  return tree.error === false;
}

/** Runs work with a statement of a user, which begins at this byte of what is run, and says what is wrong in it. */
export async function withFaults<T>(sql: string, startsAt: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw statementError(error, sql, startsAt) ?? error;
  }
}
