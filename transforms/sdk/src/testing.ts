import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gate, repeatedKeys, rowsWithout } from '@weir/sql';
import type { MadeCheck } from './checks.ts';
import { loadPackage, type TransformPattern } from './load-package.ts';
import { type MadeDefinition, makeDefinition } from './make.ts';
import { ident } from './sql-text.ts';
import { type Fixture, fixtureOf } from './testing/fixture.ts';
import { hostileCases, skeleton } from './testing/hostile.ts';
import { hostileNames, renamings, widenings } from './testing/names.ts';
import { openSession, type Session } from './testing/session.ts';

export { type Fixture, fixtureOf } from './testing/fixture.ts';
export { HOSTILE_TEXTS } from './testing/hostile.ts';
export { openSession, type Session } from './testing/session.ts';

/** The names by which checks know the table and the rows that are written to it. */
const RESULT = [['result'], ['written']];

/** One law of a package: `run` throws an Error that says what to correct. */
export interface Law {
  readonly name: string;
  run(): Promise<void>;
}

/**
 * The standard suite: what the package in a folder must hold, for any test runner. Close the session after the last one.
 * Throws when the folder has no pattern that can be read.
 */
export async function standardSuite(folder: string): Promise<{ laws: Law[]; close(): void }> {
  const { pattern, faults } = await loadPackage(folder);
  if (pattern === undefined || faults.length > 0) throw new Error(faultText(faults));
  const fixtures = await readFixtures(folder);
  const session = await openSession();
  const laws: Law[] = [
    { name: 'the docs page names the pattern and every parameter', run: async () => docsComplete(pattern) },
    { name: 'every parameter has a title and a description', run: async () => described(pattern) },
    ...fixtures.flatMap((fixture): Law[] => [
      { name: `${fixture.name} → the expected rows`, run: () => expectedRows(session, pattern, fixture) },
      ...(pattern.checks.length === 0
        ? []
        : [{ name: `${fixture.name} → the expected checks`, run: () => expectedChecks(session, pattern, fixture) }]),
      { name: `${fixture.name}, run twice → the same rows`, run: () => runTwice(session, pattern, fixture) },
      {
        name: `${fixture.name}, hostile parameters → quoted or refused`,
        run: () => hostile(session, pattern, fixture),
      },
      {
        name: `${fixture.name}, hostile names of columns → the same rows`,
        run: () => hostileColumns(session, pattern, fixture),
      },
    ]),
  ];
  return { laws, close: () => session.close() };
}

/** The fixtures of a package; at least one. */
export async function readFixtures(folder: string): Promise<Fixture[]> {
  const files = (await readdir(join(folder, 'fixtures')).catch(() => [])).filter((file) => file.endsWith('.json'));
  if (files.length === 0) throw new Error('fixtures/ has no *.json: add one with parameters, inputs and expect');
  return Promise.all(
    files.sort().map(async (file) => fixtureOf(await readFile(join(folder, 'fixtures', file), 'utf8'), file)),
  );
}

const faultText = (faults: readonly { pointer: string; message: string }[]) =>
  faults.length === 0
    ? 'The package has no pattern.json'
    : faults.map(({ pointer, message }) => `${pointer || '/'} ${message}`).join('; ');

function docsComplete({ docs, document, reader }: TransformPattern): void {
  const missing = [document.title, ...reader.names.map((name) => `\`${name}\``)].filter((one) => !docs.includes(one));
  if (missing.length > 0) throw new Error(`README.md does not name ${missing.join(', ')}`);
}

function described({ document }: TransformPattern): void {
  const properties = document.parameters.properties as Record<string, { title?: unknown; description?: unknown }>;
  const bare = Object.entries(properties).filter(([, one]) => !one.title || !one.description);
  if (bare.length > 0) throw new Error(`no title or description: ${bare.map(([name]) => name).join(', ')}`);
}

function madeOf(pattern: TransformPattern, parameters: Fixture['parameters']) {
  const result = makeDefinition(pattern, parameters);
  if ('faults' in result) throw new Error(faultText(result.faults));
  return result.made;
}

async function expectedRows(session: Session, pattern: TransformPattern, fixture: Fixture): Promise<void> {
  await session.load(fixture.inputs);
  const found = await session.rows(madeOf(pattern, fixture.parameters).sql);
  same(found, { columns: fixture.expect.columns, rows: fixture.expect.rows.map(textsOf) }, 'the expected rows');
}

async function expectedChecks(session: Session, pattern: TransformPattern, fixture: Fixture): Promise<void> {
  const { sql, checks = [] } = madeOf(pattern, fixture.parameters);
  await session.load(fixture.inputs);
  const broken: Record<string, number> = {};
  for (const check of checks) {
    const rows = await session.broken(statementOf(check), sql);
    if (rows > 0) broken[check.name] = rows;
  }
  const [is, ought] = [broken, fixture.expect.broken_checks ?? {}].map((one) =>
    JSON.stringify(Object.entries(one).sort()),
  );
  if (is !== ought) throw new Error(`not the expected checks: ${is} instead of ${ought}`);
}

/** The rows that break a check. */
function statementOf(check: MadeCheck): string {
  if (check.kind === 'sql') return check.sql;
  const columns = check.columns.map((name) => ident(name).text);
  return check.kind === 'unique' ? repeatedKeys(columns, 'written') : rowsWithout(columns, 'written');
}

/** A full run does not depend on the order of its inputs; a merge has one row a key, so that writing it again changes nothing. */
async function runTwice(session: Session, pattern: TransformPattern, fixture: Fixture): Promise<void> {
  const { sql, key } = madeOf(pattern, fixture.parameters);
  await session.load(fixture.inputs);
  const first = await session.rows(sql);
  await session.load(reversed(fixture.inputs));
  same(await session.rows(sql), first, 'the rows of the first run');
  if (key === undefined) return;
  const keys = first.rows.map((row) => JSON.stringify(key.map((name) => row[first.columns.indexOf(name)])));
  if (new Set(keys).size !== keys.length) throw new Error('two rows of the result have one key');
}

const reversed = (inputs: Fixture['inputs']): Fixture['inputs'] =>
  Object.fromEntries(Object.entries(inputs).map(([id, one]) => [id, { ...one, rows: one.rows.toReversed() }]));

async function hostile(session: Session, pattern: TransformPattern, fixture: Fixture): Promise<void> {
  const benign = shapesOf(await treesOf(session, madeOf(pattern, fixture.parameters)));
  const inputs = Object.keys(fixture.inputs).map((id) => id.split('.'));
  for (const { pointer, parameters, text, instead } of hostileCases(fixture.parameters)) {
    const result = makeDefinition(pattern, parameters);
    if ('faults' in result) continue;
    const trees = await treesOf(session, result.made);
    const isGated = trees.every(({ ast, sql, own }) => gate(ast, { sql, inputs: [...inputs, ...own] }).length === 0);
    const shapes = shapesOf(trees, text === '' ? [] : [text, instead]);
    if (!isGated || (text !== undefined && shapes !== benign)) {
      throw new Error(`a value at ${pointer} changes what the statement does: ${JSON.stringify(text ?? instead)}`);
    }
  }
}

/** Columns with the statement's own names, words of SQL and quotes: as those that it uses, and beside them. */
async function hostileColumns(session: Session, pattern: TransformPattern, fixture: Fixture): Promise<void> {
  const { sql } = madeOf(pattern, fixture.parameters);
  const names = hostileNames(await session.parse(sql));
  for (const one of renamings(fixture, pattern.document.parameters, names)) {
    if ('faults' in makeDefinition(pattern, one.parameters)) continue;
    await expectedRows(session, pattern, one);
  }
  for (const { harmless, hostile: wide, spare } of widenings(fixture, names)) {
    await session.load(harmless);
    const { columns, rows } = await session.rows(sql);
    await session.load(wide);
    const wanted = { columns: columns.map((name) => spare.get(name) ?? name), rows };
    same(await session.rows(sql), wanted, 'the rows beside harmless columns');
  }
}

/** The syntax trees of a statement and of its checks, with the names that they may read beside inputs. */
async function treesOf(session: Session, { sql, checks = [] }: MadeDefinition) {
  const all = [{ sql, own: [] as string[][] }, ...checks.map((one) => ({ sql: statementOf(one), own: RESULT }))];
  return Promise.all(all.map(async (one) => ({ ...one, ast: await session.parse(one.sql) })));
}

const shapesOf = (trees: readonly { ast: unknown }[], swapped: readonly [unknown?, unknown?] = []) =>
  trees.map(({ ast }) => skeleton(ast, swapped)).join('\n');

const textsOf = (row: readonly unknown[]) => row.map((value) => (value === null ? null : String(value)));

interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

function same(found: Rows, wanted: Rows, what: string): void {
  const [is, ought] = [found, wanted].map(({ columns, rows }) =>
    JSON.stringify([columns, ...rows.map((row) => JSON.stringify(row)).sort()], undefined, 1),
  );
  if (is !== ought) throw new Error(`not ${what}: ${is} instead of ${ought}`);
}
