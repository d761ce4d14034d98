import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import { identifier, literal, sqlType } from '../duckdb/duckdb-sql.ts';
import { assignFieldIds } from '../schema/types.ts';
import { type DraftFiles, writeFiles } from '../stage/stage-write.ts';
import { assertTimes } from './assert-times.ts';
import { blocks, createResult, passChecks, refusedChecks, runChecks } from './run-checks.ts';
import { type Fenced, fenced } from './select-session.ts';
import type {
  ExaminedSelect,
  OverSelect,
  RunSelectRequest,
  RunSelectResult,
  Selector,
  SelectorOptions,
} from './select-types.ts';
import { goneOf, keptSql, restrictedSql, touchedSql } from './select-within.ts';
import { passGate, treeOf, withFaults } from './statement.ts';

/** Loads what the first statement would have to load. */
export async function loadSelector(): Promise<void> {
  await Promise.all([import('@duckdb/node-api'), import('./describe-select.ts'), import('./select-rows.ts')]);
}

/** Runs SELECTs of users over pinned inputs, each in a fenced DuckDB of its own. Memory of this process is not bounded by it. */
export function createSelector(options: SelectorOptions): Selector {
  // What reads no rows is done by the thread that asks: it may be asked where no more threads begin.
  const reading: SelectorOptions = { ...options, threads: 1, reserve: undefined };
  return {
    parse: (sql) => fenced(reading, { inputs: new Map() }, (session) => treeOf(session, sql)),
    describe: async (sql, inputs) => [...(await examine(reading, { sql, inputs })).columns],
    examine: (request) => examine(reading, request),
    rows: (request) =>
      fenced(options, { inputs: request.inputs, ordered: true }, async (session) => {
        const sql = await passGate(options, session, { sql: request.sql, inputs: [...request.inputs.keys()] });
        const { firstRows } = await import('./select-rows.ts');
        return firstRows(session, { ...request, sql });
      }),
    over: (request, work) =>
      fenced(options, { ...request, ordered: true }, async (session, { assertSame }) => {
        const sql = await passGate(options, session, { sql: request.sql, inputs: [...request.inputs.keys()] });
        const done = await withFaults(sql, Number.POSITIVE_INFINITY, () => work(overSelect(session, sql)));
        await assertSame();
        return done;
      }),
    run: (request) => fenced(options, request, (session, tools) => runSelect(options, request, { session, ...tools })),
  };
}

const overSelect = (session: DuckdbSession, sql: string): OverSelect => ({
  result: `(\n${sql}\n)`,
  rows: (own) => session.rows(own),
  async lines(own, file) {
    await session.rows(`COPY (${own}) TO ${literal(file)} (FORMAT json)`);
  },
});

async function examine(
  options: SelectorOptions,
  { sql: text, inputs, checks = [], wantsPlan = false }: Parameters<Selector['examine']>[0],
): Promise<ExaminedSelect> {
  return fenced(options, { inputs }, async (session) => {
    const names = [...inputs.keys()];
    const sql = await passGate(options, session, { sql: text, inputs: names });
    // It brings DuckDB's library, which most processes that know the tables never load.
    const { resultColumns } = await import('./describe-select.ts');
    const answered = await withFaults(sql, 0, () => session.columns(sql));
    const columns = resultColumns(answered.names, answered.types);
    const plan = wantsPlan ? { plan: await (await import('./plan-select.ts')).planOf(options, { sql, inputs }) } : {};
    if (checks.length === 0) return { columns, ...plan, refused: [] };
    await createResult(session, assignFieldIds(columns));
    return { columns, ...plan, refused: await refusedChecks(options, session, { checks, inputs: names }) };
  });
}

async function runSelect(
  options: SelectorOptions,
  request: RunSelectRequest,
  { session, assertSame, show, onto }: Fenced & { session: DuckdbSession },
): Promise<RunSelectResult> {
  const { schema, spec, folder, within } = request;
  const inputs = [...request.inputs.keys()];
  const sql = await passGate(options, session, { sql: request.sql, inputs });
  const checks = await passChecks(options, session, { checks: request.checks ?? [], inputs });
  await withFaults(sql, 0, () => session.columns(sql));
  if (within !== undefined) {
    await show('changed');
    await withFaults(sql, Number.POSITIVE_INFINITY, () => session.rows(touchedSql(sql, within)));
    await show('whole');
  }
  const cast = schema.fields.map(
    (field) => `CAST(${identifier(field.name)} AS ${sqlType(field.type)}) AS ${identifier(field.name)}`,
  );
  const query = `SELECT ${cast.join(', ')} FROM ${await restrictedSql(session, sql, within)}`;
  const writer = { io: options.io, session, scratch: options.scratch };
  // Where the statement begins in what is run, is not known here: faults of values have no place.
  const draft = await withFaults(sql, Number.POSITIVE_INFINITY, () =>
    writeFiles(writer, { query, schema, folder, ...(spec && { spec }) }),
  );
  let gone: DraftFiles | undefined;
  try {
    assertTimes(draft.stats, schema);
    const written =
      draft.rows > 0 ? `SELECT * FROM read_parquet(${draft.paths}, hive_partitioning = false)` : undefined;
    await createResult(session, schema.fields, { written, kept: onto && keptSql(request, onto) });
    const found = await runChecks(session, checks);
    if (within !== undefined) gone = await writeFiles(writer, goneOf(request));
    await assertSame();
    const result = { rows: draft.rows, checks: found, isBlocked: blocks(checks, found) };
    if (result.isBlocked) return { ...result, files: [], gone: [] };
    return { ...result, files: await draft.publish(), gone: (await gone?.publish()) ?? [] };
  } finally {
    await draft.discard();
    await gone?.discard();
  }
}
