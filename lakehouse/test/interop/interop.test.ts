import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { inLane } from '../../../test/lane.ts';
import { localFileIO } from '../../src/index.ts';
import { noDatabase } from '../database.ts';
import { type Engine, pythonEngine } from './engine.ts';
import { outcomeTable } from './outcome.ts';
import { appendAll, type Fault, readAll, type Sample } from './rounds.ts';
import { TRIED } from './shapes.ts';
import { openSharedCatalog } from './shared-catalog.ts';
import { openWorkshop } from './workshop.ts';

const isWhole = inLane('interop-all');
/** The row of the table for a table that each engine committed to after each other one. */
const AFTER_OTHERS = "after another engine's commit";
const PYTHON = process.env.WEIR_TEST_PYTHON ?? '';
/** The Python that has Spark (`npm run interop -- --spark`). */
const SPARK = process.env.WEIR_TEST_SPARK_PYTHON;

t.test('tables of our shapes are read alike and appended to in turns', { skip: noDatabase }, async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-interop-'));
  const shop = await openWorkshop(root, localFileIO({ root }));
  const catalog = await openSharedCatalog(shop);
  t.teardown(async () => {
    await shop.close();
    await catalog.close();
    await rm(root, { recursive: true, force: true });
  });
  const { places } = catalog;
  const pyiceberg = { name: 'PyIceberg', program: 'pyiceberg_engine.py', python: PYTHON, incomparable: ['uuid'] };
  const spark = { name: 'Spark', program: 'spark_engine.py', incomparable: ['uuid'] };
  const engines: Engine[] = [
    pythonEngine(pyiceberg, places),
    pythonEngine({ name: 'DuckDB', program: 'duckdb_engine.py', python: PYTHON }, places),
    ...(SPARK === undefined ? [] : [pythonEngine({ ...spark, python: SPARK }, places)]),
  ];
  t.teardown(() => Promise.all(engines.map((engine) => engine.close())));

  const samples: Sample[] = [];
  for (const shape of TRIED) {
    const at = await shape.make(shop);
    t.equal((await shop.rows(at)).length, shape.rows, `${shape.name} has its rows`);
    const sample = { shape, name: shape.name.replaceAll(/\W+/g, '_'), at };
    await catalog.add(sample);
    samples.push(sample);
  }

  const outcomes = new Map<string, readonly Fault[]>(
    engines.flatMap(({ name }) => [`${name} reads`, `${name} appends`]).map((column) => [column, []]),
  );
  const tell = (column: string, faults: readonly Fault[], shape?: string): void => {
    const told = faults.map((fault) => ({ ...fault, shape: shape ?? fault.shape }));
    outcomes.set(column, [...(outcomes.get(column) ?? []), ...told]);
  };
  const read = async (filtered: boolean): Promise<void> => {
    await catalog.show(samples, { rest: false });
    for (const engine of engines) tell(`${engine.name} reads`, await readAll(shop, engine, samples, { filtered }));
  };
  const append = async (engine: Engine, some: readonly Sample[], shape?: string): Promise<void> => {
    await catalog.show(samples, { rest: engine.name === 'DuckDB' });
    tell(`${engine.name} appends`, await appendAll(shop, engine, some, catalog.moved), shape);
  };

  await read(isWhole);
  for (const engine of engines) {
    const isLast = engine === engines.at(-1);
    await append(engine, samples);
    if (isWhole || isLast) await read(isLast);
  }
  const shared = samples.slice(0, 1);
  for (const engine of engines) await append(engine, shared, AFTER_OTHERS);
  await catalog.show(samples, { rest: false });
  for (const engine of engines) {
    tell(`${engine.name} reads`, await readAll(shop, engine, shared, { filtered: isWhole }), AFTER_OTHERS);
  }

  const table = outcomeTable([...TRIED.map(({ name }) => name), AFTER_OTHERS], outcomes);
  process.stderr.write(`${table}\n`);
  const told = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
  const lines = new Set(told.split('\n'));
  const missing = table.split('\n').filter((line) => !lines.has(line));
  t.strictSame(missing, [], 'the README tells what was found');
  if (isWhole) t.ok(told.includes(table), 'and nothing else');
});
