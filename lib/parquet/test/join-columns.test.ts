import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import t from 'tap';
import { joinColumns, ParquetError } from '../src/index.ts';

t.test('columns of files with the same row groups → one file with the values of both', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'join-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  t.teardown(() => {
    connection.closeSync();
    instance.closeSync();
  });
  const at = (name: string) => join(folder, name);
  const make = (name: string, sql: string) =>
    connection.run(`COPY (${sql}) TO '${at(name)}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 2048)`);
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  const [left, right] = [
    "SELECT range AS id, 't' || range % 7 AS word, [{x: range, y: 'q'}] AS list, 1 AS left_out FROM range(5000)",
    `SELECT range AS left_out, if(range % 3 = 0, NULL, range / 4) AS part, (range / 3)::DECIMAL(30, 2) AS money,
       {a: [range, NULL], b: {c: range % 2 = 0}} AS deep, timestamptz '2024-01-01' + to_days(range::INTEGER) AS moment FROM range(5000)`,
  ];
  await make('left', left);
  await make('right', right);
  const parts = [
    { path: at('left'), columns: new Set(['id', 'word', 'list']) },
    { path: at('right'), columns: new Set(['part', 'money', 'deep', 'moment']) },
  ];
  const bytes = await joinColumns(parts, at('both'));
  const wanted = `SELECT id, word, list, part, money, deep, moment FROM (${left}) POSITIONAL JOIN (SELECT * EXCLUDE left_out FROM (${right}))`;
  t.strictSame(await rows(`SELECT * FROM read_parquet('${at('both')}')`), await rows(wanted));
  t.strictSame(await rows(`SELECT num_row_groups, file_size_bytes FROM parquet_file_metadata('${at('both')}')`), [
    ['3', String(bytes)],
  ]);
  t.strictSame(await rows(`SELECT id, deep.b.c FROM read_parquet('${at('both')}') WHERE id = 4999`), [['4999', false]]);

  await make('fewer', 'SELECT range AS n FROM range(4999)');
  const uneven = [parts[0] ?? { path: '', columns: new Set<string>() }, { path: at('fewer'), columns: new Set(['n']) }];
  await t.rejects(joinColumns(uneven, at('uneven')), ParquetError, 'other rows');
  await t.rejects(joinColumns([{ path: at('fewer'), columns: new Set(['x']) }], at('missing')), ParquetError);
  await writeFile(at('cut'), 'PAR1 and nothing more');
  await t.rejects(joinColumns([{ path: at('cut'), columns: new Set(['x']) }], at('of-cut')), ParquetError);
});
