import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { assignFieldIds, createSelector, LakehouseError, openStore, typeText } from '@weir/plugin-datasets/stage';
import { checkResults } from '../model/checks/check-results.ts';
import { compileCheck } from '../model/checks/compile-check.ts';
import { faultsOf, judge } from '../model/select/judge.ts';
import { type SqlFault, SqlRefused } from '../model/select/select-errors.ts';
import { rowProblems } from './compare-rows.ts';
import type { FixtureBody, TestResult } from './fixture.ts';
import { inputRows } from './input-rows.ts';

const DEADLINE_MS = 60_000;
const MAX_ROWS = 10_000;
const MAX_BYTES = 64 * 1_048_576;
const MEMORY = '1GB';

/** Runs a test as a run of a transform runs a statement: the same gate, fence and engine. */
export async function runFixture(fixture: FixtureBody): Promise<TestResult> {
  const began = performance.now();
  const scratch = await mkdtemp(join(tmpdir(), 'weir-transform-test-'));
  const io = openStore({ warehouse: scratch, scratch });
  try {
    return { problems: await problemsOf(fixture, { io, scratch }), ms: Math.round(performance.now() - began) };
  } catch (error) {
    return { problems: [sentence(error, fixture.sql)], ms: Math.round(performance.now() - began) };
  } finally {
    await io.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

type Places = { io: ReturnType<typeof openStore>; scratch: string };

async function problemsOf(fixture: FixtureBody, { io, scratch }: Places): Promise<string[]> {
  const { sql, checks = [], expect, ordered } = fixture;
  const limits = { memoryLimit: MEMORY, threads: availableParallelism(), deadlineMs: DEADLINE_MS };
  const writer = createSelector({ io, scratch, ...limits, gate: () => undefined });
  const folder = `file://${scratch}/tables`;
  const inputs = new Map<string, Awaited<ReturnType<typeof inputRows>>>();
  for (const [name, input] of Object.entries(fixture.inputs ?? {})) {
    inputs.set(name.toLowerCase(), await inputRows(writer, input, folder));
  }
  const selector = createSelector({ io, scratch, ...limits, gate: judge });
  const compiled = checks.map((check) => compileCheck(check, new Date()));
  const { columns, refused } = await selector.examine({ sql, inputs, checks: compiled });
  const unfit = refused.map(({ name, error }) => `check ${name}: ${sentence(error, '')}`);
  if (unfit.length > 0) return unfit;
  const schema = { type: 'struct' as const, 'schema-id': 0, fields: assignFieldIds(columns) };
  const ran = await selector.run({ sql, inputs, schema, folder: `${folder}/result`, checks: compiled });
  const found = ran.checks.map(({ name, failures, ms }) => ({ name, failures, ms }));
  const broken = checkResults(checks, found).filter(({ status }) => status !== 'passed');
  return [...checkProblems(broken, fixture.broken_checks ?? []), ...(expect === undefined ? [] : await compared())];

  async function compared(): Promise<string[]> {
    const answer = await selector.rows({ sql, inputs, limit: MAX_ROWS, maxBytes: MAX_BYTES });
    const typed = answer.columns.map(({ name, type }) => ({ name, type: typeText(type) }));
    return rowProblems(expect ?? [], { columns: typed, rows: answer.rows as readonly (readonly unknown[])[] }, ordered);
  }
}

function checkProblems(broken: readonly { name: string; failing_rows: string | null }[], wanted: readonly string[]) {
  const unexpected = broken.filter(({ name }) => !wanted.includes(name));
  const passed = wanted.filter((name) => !broken.some((one) => one.name === name));
  return [
    ...unexpected.map(
      ({ name, failing_rows: rows }) => `check ${name} is broken by ${rows ?? 'values it cannot read'}`,
    ),
    ...passed.map((name) => `check ${name} passed, and should not have`),
  ];
}

function sentence(error: unknown, sql: string): string {
  const faults = error instanceof SqlRefused ? error.faults : ofLakehouse(error, sql);
  if (faults !== undefined) return faults.map(faultText).join('; ');
  if (error instanceof LakehouseError) return `${error.message} (${error.code})`;
  throw error;
}

const ofLakehouse = (error: unknown, sql: string) =>
  error instanceof LakehouseError ? faultsOf(error, sql) : undefined;

function faultText({ code, name, nearest, line, column }: SqlFault): string {
  const place = line === undefined ? '' : ` at line ${line}, column ${column}`;
  const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return `${code}${name === undefined ? '' : ` ${name}`}${place}${meant}`;
}
