import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import t from 'tap';
import {
  type Column,
  createStager,
  createTable,
  currentSchema,
  localFileIO,
  localPath,
  withMetaColumns,
} from '../src/index.ts';
import { line, SHAPE } from './lake.ts';

t.test('a thousand columns are the same rows where memory holds a slice of them only', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-memory-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const io = localFileIO({ root });
  const columns = Array.from({ length: 1000 }, (_, index): Column => ({ name: `c${index}`, type: 'long' }));
  const { metadata } = await createTable({ io, location: `file://${root}/t`, columns: withMetaColumns(columns) });
  const data = Object.fromEntries(columns.map(({ name }, index) => [name, index]));
  const source = join(root, 'rows.ndjson');
  await writeFile(source, line(data) + line({ ...data, c999: 'x', more: 1 }));
  const copies = [];
  for (const memoryLimit of ['400MB', '120MB']) {
    const scratch = join(root, memoryLimit);
    await mkdir(scratch);
    const stager = await createStager({ io, scratch, memoryLimit });
    const request = { source, shape: SHAPE, schema: currentSchema(metadata), runId: 'r', position: 0 };
    copies.push(await stager.copy({ ...request, folder: `${metadata.location}/data/${memoryLimit}` }));
    stager.close();
  }
  const { files } = copies[0]!;
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const paths = files.map(({ location }) => `'${localPath(location)}'`).join();
  const reader = await connection.runAndReadAll(`SELECT c0, c999, _extra FROM read_parquet([${paths}]) ORDER BY c999`);
  connection.closeSync();
  t.strictSame(reader.getRowsJson(), [
    ['0', '999', null],
    ['0', null, '{"more":1,"c999":"x"}'],
  ]);
  const [much, little] = copies.map(({ rows, rowsWithErrors, rowsWithExtra, checksum }) => {
    return { rows, rowsWithErrors, rowsWithExtra, checksum };
  });
  t.match(much, { rows: 2, rowsWithErrors: 1, rowsWithExtra: 1 });
  t.strictSame(little, much);
  for (const { unknown } of copies) t.strictSame(unknown, [{ name: 'more', type: 'long' }], 'a column is no news');
});

t.test('a member of 20 MiB that no column holds → in `_extra`, whole and named, as in a column', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-memory-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const io = localFileIO({ root });
  const columns = withMetaColumns([{ name: 'a', type: 'string' }]);
  const { metadata } = await createTable({ io, location: `file://${root}/t`, columns });
  const source = join(root, 'rows.ndjson');
  const large = 'x'.repeat(20 << 20);
  await writeFile(source, line({ a: 'first' }) + line({ a: large }) + line({ a: 'last', more: large, n: 1 }));
  const stager = await createStager({ io, scratch: root });
  t.teardown(() => stager.close());
  const request = { source, shape: SHAPE, schema: currentSchema(metadata), runId: 'r', position: 0 };
  const copied = await stager.copy({ ...request, folder: `${metadata.location}/data/1` });
  t.match(copied, { rows: 3, rowsWithErrors: 0, rowsWithExtra: 1, rejected: undefined });
  t.strictSame(copied.unknown, [
    { name: 'more', type: 'string' },
    { name: 'n', type: 'long' },
  ]);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const paths = copied.files.map(({ location }) => `'${localPath(location)}'`).join();
  const sql = `SELECT length(a), length(_extra), right(_extra, 9) FROM read_parquet([${paths}]) ORDER BY a`;
  const reader = await connection.runAndReadAll(sql);
  connection.closeSync();
  const extra = JSON.stringify({ more: large, n: 1 });
  t.strictSame(reader.getRowsJson(), [
    ['5', null, null],
    ['4', String(extra.length), extra.slice(-9)],
    [String(large.length), null, null],
  ]);
});
