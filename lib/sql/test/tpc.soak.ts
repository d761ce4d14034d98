import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { columnLineage, gate } from '@weir/sql';
import t from 'tap';
import { pythonWith } from '../../../test/python.ts';
import { parse } from './kit.ts';

const REQUIREMENTS = [
  'duckdb==1.5.5',
  'duckdb-extension-tpcds==1.5.5',
  'duckdb-extension-tpch==1.5.5',
  'sqlglot==30.30.0',
];
const MAX_OUTPUT = 64 * 2 ** 20;

interface Benchmark {
  readonly name: string;
  readonly tables: Record<string, string[]>;
  readonly queries: readonly { sql: string; columns: readonly string[][] }[];
}

t.test('TPC-H and TPC-DS pass the gate, and each output column has the sources that sqlglot finds', async (t) => {
  const python = await pythonWith('sql-lineage', REQUIREMENTS);
  const script = fileURLToPath(new URL('tpc.py', import.meta.url));
  const { stdout } = await promisify(execFile)(python, [script], { maxBuffer: MAX_OUTPUT });
  const benchmarks = JSON.parse(stdout) as Benchmark[];
  t.same(
    benchmarks.map(({ name, queries }) => [name, queries.length]),
    [
      ['tpch', 22],
      ['tpcds', 99],
    ],
  );
  let columns = 0;
  for (const { name, tables, queries } of benchmarks) {
    for (const [at, { sql, columns: expected }] of queries.entries()) {
      const query = `${name} ${at + 1}`;
      const ast = await parse(sql);
      t.same(gate(ast, { inputs: Object.keys(tables), sql }), [], query);
      const lineage = columnLineage(ast, tables);
      t.same(lineage.unresolved, [], query);
      const found = lineage.columns.map(({ sources }) => sources.map(({ table, column }) => `${table}.${column}`));
      t.same(found, expected, query);
      columns += found.length;
    }
  }
  t.equal(columns, 694, 'output columns');
});
