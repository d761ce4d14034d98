import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CallResult, Endpoint, Input } from '@weir/kernel/contract';
import t from 'tap';
import { pythonWith } from '../../../test/python.ts';
import { startWorker } from '../../../test/worker-process.ts';
import { type Api, synced } from '../../sources/test/platform.ts';
import { readySource } from '../../sources/test/ready-source.ts';
import { MAX_QUERY_ROWS } from '../src/contract/queries.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

const REQUIREMENTS = ['duckdb==1.5.5', 'duckdb-extension-tpch==1.5.5'];
const SCALE = 1;
const QUERIES = 22;
const LINEITEMS = 6_001_215;
const MAX_OUTPUT = 64 * 2 ** 20;
/** Digits of a double that do not depend on the order in which it was summed. */
const DIGITS = 12;

interface Published {
  readonly tables: readonly string[];
  readonly queries: readonly { sql: string; answer: string }[];
}

/** Tables of the statement become those that the sync has loaded, under the names that it knows them by. */
function overLoaded(sql: string, tables: readonly string[]): string {
  const table = new RegExp(`(?<=(?:\\bfrom|\\bjoin|,)\\s+)(${tables.join('|')})\\b(?!\\.)(\\s+[nl]\\d\\b)?`, 'gi');
  return sql.replaceAll(table, (_, name: string, alias = ` ${name}`) => `bronze.acme.tpch__${name}${alias}`);
}

/** A value as both write it: numbers without trailing zeros, doubles to the digits that they are sure of. */
function plain(value: unknown, isDouble: boolean): string {
  const text = String(value ?? '');
  if (isDouble) return String(Number(Number(text).toPrecision(DIGITS)));
  return /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text;
}

t.test('the 22 queries of TPC-H as transforms → the published answers', async (t) => {
  const world = await runWorld(t);
  const { ok, hydrated, materialized, folder } = world;
  await mkdir(`${folder}/tpch`);
  const python = await pythonWith('tpch', REQUIREMENTS);
  const script = fileURLToPath(new URL('tpch.py', import.meta.url));
  const made = await promisify(execFile)(python, [script, `${folder}/tpch`, String(SCALE)], { maxBuffer: MAX_OUTPUT });
  const { tables, queries } = JSON.parse(made.stdout) as Published;
  t.strictSame([tables.length, queries.length], [8, QUERIES]);

  const worker = await startWorker(t, world.environment, 'source,discovery');
  const api: Api = <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}): Promise<CallResult<E>> =>
    world.call(endpoint, input);
  const body = { name: 'tpch', pattern_id: 'files', source_config: { path: `${folder}/tpch` } };
  const source = await readySource(api, body, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
  t.match(await synced(api, source), { status: 'succeeded' });
  await worker.end('SIGTERM');
  const count = await ok(endpoints.runQuery, { body: { sql: 'select count(*) as n from bronze.acme.tpch__lineitem' } });
  t.strictSame(count.rows, [[String(LINEITEMS)]]);

  await startWorker(t, world.environment, 'transform');
  const readAll = async (table: string) => {
    const rows: (readonly unknown[])[] = [];
    for (;;) {
      const sql = `select * from ${table} order by all offset ${rows.length}`;
      const page = await ok(endpoints.runQuery, { body: { sql, limit: MAX_QUERY_ROWS } });
      rows.push(...page.rows);
      if (!page.truncated) return { columns: page.columns, rows };
    }
  };
  for (const [at, { sql, answer }] of queries.entries()) {
    const name = `q${String(at + 1).padStart(2, '0')}`;
    const table = `gold.acme.${name}`;
    const run = await materialized(await hydrated(name, overLoaded(sql, tables), table));
    const [head = '', ...lines] = answer.replace(/\n$/, '').split('\n');
    const wanted = lines.map((line) => line.split('|'));
    t.match(run, { status: 'succeeded', failure: null, rows: String(wanted.length) }, name);
    const { columns, rows } = await readAll(table);
    t.equal(columns.length, head.split('|').length, name);
    const isDouble = columns.map(({ type }) => type === 'double');
    const asLines = (values: readonly (readonly unknown[])[]) =>
      values.map((row) => row.map((value, column) => plain(value, isDouble[column] === true)).join('|')).toSorted();
    t.strictSame(asLines(rows), asLines(wanted), `${name}: the answer is the published one`);
  }
});
