import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import { identifier, sqlType } from '../duckdb/duckdb-sql.ts';
import { writeFiles } from '../stage/stage-write.ts';
import { fenced } from './select-session.ts';
import type { RunSelectRequest, RunSelectResult, Selector, SelectorOptions } from './select-types.ts';
import { passGate, treeOf, withFaults } from './statement.ts';

/** The name by which checks know the result. */
const RESULT = 'result';

/** Loads what the first statement would have to load. */
export async function loadSelector(): Promise<void> {
  await Promise.all([import('@duckdb/node-api'), import('./describe-select.ts'), import('./select-rows.ts')]);
}

/** Runs SELECTs of users over pinned inputs, each in a fenced DuckDB of its own. Memory of this process is not bounded by it. */
export function createSelector(options: SelectorOptions): Selector {
  return {
    parse: (sql) => fenced(options, { inputs: new Map() }, (session) => treeOf(session, sql)),
    describe: (text, inputs) =>
      fenced(options, { inputs }, async (session) => {
        const sql = await passGate(options, session, { sql: text, inputs: [...inputs.keys()] });
        // It brings DuckDB's library, which most processes that know the tables never load.
        const { resultColumns } = await import('./describe-select.ts');
        const { names, types } = await withFaults(sql, 0, () => session.columns(sql));
        return resultColumns(names, types);
      }),
    rows: (request) =>
      fenced(options, { inputs: request.inputs, ordered: true }, async (session) => {
        const sql = await passGate(options, session, { sql: request.sql, inputs: [...request.inputs.keys()] });
        const { firstRows } = await import('./select-rows.ts');
        return firstRows(session, { ...request, sql });
      }),
    run: (request) =>
      fenced(options, request, (session, assertSame) => runSelect(options, request, { session, assertSame })),
  };
}

async function runSelect(
  options: SelectorOptions,
  request: RunSelectRequest,
  { session, assertSame }: { session: DuckdbSession; assertSame: () => Promise<void> },
): Promise<RunSelectResult> {
  const { schema, spec, folder } = request;
  const inputs = [...request.inputs.keys()];
  const sql = await passGate(options, session, { sql: request.sql, inputs });
  const checks: { name: string; sql: string }[] = [];
  for (const check of request.checks ?? []) {
    checks.push({ ...check, sql: await passGate(options, session, { sql: check.sql, inputs: [...inputs, RESULT] }) });
  }
  await withFaults(sql, 0, () => session.columns(sql));
  const cast = schema.fields.map(
    (field) => `CAST(${identifier(field.name)} AS ${sqlType(field.type)}) AS ${identifier(field.name)}`,
  );
  const query = `SELECT ${cast.join(', ')} FROM (\n${sql}\n)`;
  const writer = { io: options.io, session, scratch: options.scratch };
  // Where the statement begins in what is run, is not known here: faults of values have no place.
  const draft = await withFaults(sql, Number.POSITIVE_INFINITY, () =>
    writeFiles(writer, { query, schema, folder, ...(spec && { spec }) }),
  );
  try {
    const empty = `SELECT ${schema.fields.map((field) => `CAST(NULL AS ${sqlType(field.type)}) AS ${identifier(field.name)}`).join(', ')} WHERE false`;
    const written = draft.rows > 0 ? `SELECT * FROM read_parquet(${draft.paths}, hive_partitioning = false)` : empty;
    await session.rows(`CREATE VIEW ${RESULT} AS ${written}`);
    const found: RunSelectResult['checks'][number][] = [];
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
