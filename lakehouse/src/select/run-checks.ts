import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import { identifier, sqlType } from '../duckdb/duckdb-sql.ts';
import { LakehouseError } from '../error/error.ts';
import type { Field } from '../schema/types.ts';
import type { ExaminedSelect, SelectCheck, SelectCheckResult, SelectorOptions } from './select-types.ts';
import { GateRefusal, passGate, withFaults } from './statement.ts';

/** The names by which checks know the table as it will be, and the rows that are written to it. */
export const [RESULT, WRITTEN] = ['result', 'written'];
const MAX_SAMPLE_ROWS = 20;
const MAX_SAMPLE_BYTES = 65_536;

type Asked = { readonly checks: readonly SelectCheck[]; readonly inputs: readonly string[] };

/** Lets checks read a result: these rows, or none, and beside them those of the table that stay. */
export async function createResult(
  session: DuckdbSession,
  fields: readonly Field[],
  { written, kept }: { written?: string | undefined; kept?: string | undefined } = {},
): Promise<void> {
  const none = fields.map(({ name, type }) => `CAST(NULL AS ${sqlType(type)}) AS ${identifier(name)}`);
  await session.rows(`CREATE VIEW ${WRITTEN} AS ${written ?? `SELECT ${none.join(', ')} WHERE false`}`);
  const staying = kept === undefined ? '' : ` UNION ALL ${kept}`;
  await session.rows(`CREATE VIEW ${RESULT} AS SELECT * FROM ${WRITTEN}${staying}`);
}

/** The checks as they may stand in a subquery. Throws what the gate throws. */
export async function passChecks(
  options: Pick<SelectorOptions, 'gate'>,
  session: DuckdbSession,
  { checks, inputs }: Asked,
): Promise<SelectCheck[]> {
  const passed: SelectCheck[] = [];
  for (const check of checks) {
    const names = [...inputs, RESULT, WRITTEN];
    passed.push({ ...check, sql: await passGate(options, session, { sql: check.sql, inputs: names }) });
  }
  return passed;
}

/** The checks that the gate refuses, or that do not fit the result. */
export async function refusedChecks(
  options: Pick<SelectorOptions, 'gate'>,
  session: DuckdbSession,
  { checks, inputs }: Asked,
): Promise<ExaminedSelect['refused']> {
  const refused: { name: string; error: unknown }[] = [];
  const { resultColumns } = await import('./describe-select.ts');
  for (const check of checks) {
    try {
      const [passed] = await passChecks(options, session, { checks: [check], inputs });
      const sql = passed?.sql ?? '';
      const { names, types } = await withFaults(sql, 0, () => session.columns(sql));
      resultColumns(names, types, 'as texts');
    } catch (error) {
      const cause = error instanceof GateRefusal ? error.cause : error;
      if (cause === error && !(error instanceof LakehouseError)) throw error;
      refused.push({ name: check.name, error: cause });
    }
  }
  return refused;
}

/** Carries out checks that have passed the gate. A bound that one meets ends them all. */
export async function runChecks(session: DuckdbSession, checks: readonly SelectCheck[]): Promise<SelectCheckResult[]> {
  const found: SelectCheckResult[] = [];
  for (const { name, sql } of checks) {
    const began = performance.now();
    const ended = await judged(session, sql);
    found.push({ name, ...ended, ms: Math.round(performance.now() - began) });
  }
  return found;
}

/** Whether checks keep the result from being written. */
export function blocks(checks: readonly SelectCheck[], found: readonly SelectCheckResult[]): boolean {
  return found.some(({ failures }, at) => failures === null || (failures !== '0' && checks[at]?.blocks !== false));
}

async function judged(session: DuckdbSession, sql: string): Promise<Pick<SelectCheckResult, 'failures' | 'sample'>> {
  try {
    const [row] = await withFaults(sql, Number.POSITIVE_INFINITY, () =>
      session.rows<{ n: string }>(`SELECT count(*) AS n FROM (\n${sql}\n)`),
    );
    const failures = row?.n ?? null;
    if (failures === null || failures === '0') return { failures };
    return { failures, ...(await sampled(session, sql)) };
  } catch (error) {
    if (error instanceof LakehouseError && error.code === 'statement_invalid') return { failures: null };
    throw error;
  }
}

async function sampled(session: DuckdbSession, sql: string): Promise<Pick<SelectCheckResult, 'sample'>> {
  const { firstRows } = await import('./select-rows.ts');
  try {
    const { columns, rows } = await firstRows(session, { sql, limit: MAX_SAMPLE_ROWS, maxBytes: MAX_SAMPLE_BYTES });
    return { sample: { columns, rows } };
  } catch (error) {
    if (error instanceof LakehouseError && error.code === 'result_too_large') return {};
    throw error;
  }
}
