import { mkdir, mkdtemp, readdir, readFile, realpath, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import {
  assignFieldIds,
  type Column,
  type CopyResult,
  createStager,
  openStore,
  type SegmentRequest,
  type TableSchema,
  withMetaColumns,
} from '@weir/lakehouse';
import t from 'tap';
import { runPython } from './python.ts';

const root = await realpath(await mkdtemp(join(tmpdir(), 'segment-')));
const duckdb = await DuckDBInstance.create();
const connection = await duckdb.connect();
await connection.run(`SET TimeZone = 'UTC'`);
const scratch = join(root, 'scratch');
const stager = await createStager({ io: openStore({ warehouse: root, scratch: join(root, 'cache') }), scratch });
t.teardown(async () => {
  stager.close();
  connection.closeSync();
  duckdb.closeSync();
  await rm(root, { recursive: true, force: true });
});
await mkdir(join(root, 'sources'));

let files = 0;
/** A Parquet file of a query's rows. */
async function parquet(query: string): Promise<string> {
  const path = join(root, 'sources', `${files++}.parquet`);
  await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet)`);
  return path;
}
const schemaOf = (columns: readonly Column[]): TableSchema => ({
  type: 'struct',
  'schema-id': 0,
  fields: assignFieldIds(withMetaColumns(columns)),
});
const segment = (source: string, columns: readonly Column[], more: Partial<SegmentRequest> = {}): Promise<CopyResult> =>
  stager.segment({
    source,
    schema: schemaOf(columns),
    folder: join(root, 'tables', String(files++)),
    runId: 'run-1',
    position: 0,
    extractedAt: 1_700_000_000_123,
    ...more,
  });
async function rowsOf({ files: staged }: CopyResult, order = 'ALL'): Promise<Record<string, unknown>[]> {
  const paths = staged.map(({ location }) => `'${location.startsWith('file:') ? fileURLToPath(location) : location}'`);
  const reader = await connection.runAndReadAll(`FROM read_parquet([${paths.join(', ')}]) ORDER BY ${order}`);
  return reader.getRowObjectsJson() as Record<string, unknown>[];
}
const id: Column = { name: 'id', type: 'long' };

t.test('values are kept with all their digits, and the meta columns say when and by whom', async (t) => {
  const source = await parquet(
    `SELECT 9223372036854775807 AS id, 12345678901234567890.123456789::DECIMAL(38, 9) AS amount, '\\xAA'::BLOB AS raw`,
  );
  const columns: Column[] = [id, { name: 'amount', type: 'decimal(38, 9)' }, { name: 'raw', type: 'binary' }];
  const result = await segment(source, columns, { lines: 1 });
  t.match(result, { rows: 1, rowsWithErrors: 0, rowsWithExtra: 0, unknown: [], rejected: undefined });
  t.match(await rowsOf(result), [
    {
      id: '9223372036854775807',
      amount: '12345678901234567890.123456789',
      raw: '\\xAA',
      _extracted_at: '2023-11-14 22:13:20.123+00',
      _run_id: 'run-1',
      _errors: [],
      _extra: null,
    },
  ]);
});

t.test(
  'nanoseconds that a column cannot hold are marked, before 1970 too; what does not fit is NULL and marked',
  async (t) => {
    const source = await parquet(
      `SELECT * FROM (VALUES (1, '1960-01-01 00:00:00.123456999'::TIMESTAMP_NS, '12'), (2, '2024-01-01 00:00:00.123456'::TIMESTAMP_NS, '1.5')) v(id, "at", n)`,
    );
    const result = await segment(source, [id, { name: 'at', type: 'timestamp' }, { name: 'n', type: 'int' }]);
    t.equal(result.rowsWithErrors, 2);
    t.match(await rowsOf(result), [
      {
        at: '1960-01-01 00:00:00.123456',
        n: 12,
        _errors: [{ field: 'at', change: 'rounded', reason: 'precision_exceeded' }],
        _extra: '{"at":"1960-01-01T00:00:00.123456999"}',
      },
      {
        at: '2024-01-01 00:00:00.123456',
        n: null,
        _errors: [{ field: 'n', change: 'nulled', reason: 'invalid_int' }],
        _extra: '{"n":"1.5"}',
      },
    ]);
  },
);

t.test(
  'columns are found by their exact names: others are kept in _extra and named with a type that holds them',
  async (t) => {
    const source = await parquet(`SELECT 1 AS "ID", 2.50::DECIMAL(9, 2) AS price, 'x"' AS "a ""b""", [1] AS list`);
    const result = await segment(source, [id]);
    t.match(result, { rows: 1, rowsWithExtra: 1 });
    t.strictSame(result.unknown, [
      { name: 'ID', type: 'int' },
      { name: 'price', type: 'decimal(9, 2)' },
      { name: 'a "b"', type: 'string' },
      { name: 'list', type: 'string' },
    ]);
    const [row] = await rowsOf(result);
    t.equal(row?.id, null);
    t.strictSame(JSON.parse(String(row?._extra)), { ID: 1, price: '2.50', 'a "b"': 'x"', list: [1] });
  },
);

t.test('a row without its key is rejected in its place with what it held; the rest is kept', async (t) => {
  const source = await parquet(`SELECT if(range = 2, NULL, range) AS id, 'n' || range AS name FROM range(4)`);
  const result = await segment(source, [id, { name: 'name', type: 'string' }], {
    key: [1],
    position: 10,
    ordered: true,
  });
  t.match(result, { rows: 3, rejected: { count: 1, reasons: { key_missing: 1 } } });
  const [line] = (await readFile(result.rejected?.path ?? '', 'utf8')).trim().split('\n');
  const { raw, ...place } = JSON.parse(line ?? '');
  t.strictSame(place, { position: 12, reason: 'key_missing' });
  t.strictSame(JSON.parse(Buffer.from(raw, 'base64').toString()), { id: null, name: 'n2' });
  const text = 'string' as const;
  const columns = ['run_id', 'stream', 'reason'].map((name): Column => ({ name, type: text }));
  const quarantine = assignFieldIds([...columns, { name: 'position', type: 'long' }, { name: 'raw', type: 'binary' }]);
  const staged = await stager.quarantine({
    rejected: result.rejected === undefined ? [] : [result.rejected],
    schema: { type: 'struct', 'schema-id': 0, fields: quarantine },
    folder: join(root, 'tables', 'quarantine'),
    runId: 'run-1',
    stream: 's',
  });
  t.equal(staged?.record_count, '1');
});

t.test('rows keep their order where it is asked for, over several files of a large segment', async (t) => {
  const source = await parquet('SELECT range AS id, md5(range::VARCHAR) AS hash FROM range(1000000)');
  const result = await segment(source, [id, { name: 'hash', type: 'string' }], { ordered: true, lines: 1_000_000 });
  t.equal(result.rows, 1_000_000);
  const paths = result.files.map(
    ({ location }) => `'${location.startsWith('file:') ? fileURLToPath(location) : location}'`,
  );
  const reader = await connection.runAndReadAll(
    `SELECT count(*) FROM (SELECT id, lag(id) OVER () AS before FROM read_parquet([${paths.join(', ')}])) WHERE id <> before + 1`,
  );
  t.strictSame(reader.getRowsJson(), [['0']]);
});

t.test('other rows than announced, and damage → are refused, and nothing is left', async (t) => {
  const whole = await parquet('SELECT range AS id FROM range(100000)');
  await t.rejects(segment(whole, [id], { lines: 99_999 }), { code: 'lines_lost' });
  const cut = await parquet('SELECT range AS id, md5(range::VARCHAR) AS hash FROM range(100000)');
  await truncate(cut, 50_000);
  await t.rejects(segment(cut, [id]), { code: 'parquet_invalid' });
  t.strictSame(
    (await readdir(scratch)).filter((name) => !name.startsWith('spill') && !name.includes('rejected')),
    [],
  );
});

t.test('a file whose columns differ in case alone → each has its own name and values', async (t) => {
  // DuckDB itself writes no such file: the name of a column is changed in place.
  const twice = await parquet('SELECT {name: 0} AS deep, 1 AS name, 2 AS "nXme"');
  const bytes = (await readFile(twice)).toString('latin1').replaceAll('nXme', 'Name');
  await writeFile(twice, Buffer.from(bytes, 'latin1'));
  const result = await segment(twice, [{ name: 'Name', type: 'int' }]);
  t.strictSame(
    result.unknown.map(({ name }) => name),
    ['deep', 'name'],
  );
  const [row] = await rowsOf(result);
  t.strictSame([row?.Name, JSON.parse(String(row?._extra))], [2, { deep: { name: 0 }, name: 1 }]);
});

t.test('text that is no UTF-8 refuses the file by its code', async (t) => {
  const good = await parquet(`SELECT 'canary-text' AS id FROM range(10)`);
  const bytes = await readFile(good);
  const broken = Buffer.from(bytes.toString('latin1').replaceAll('canary-text', 'canary-te\xff\xfe'), 'latin1');
  const path = join(root, 'sources', 'broken.parquet');
  await writeFile(path, broken);
  await t.rejects(segment(path, [{ name: 'id', type: 'string' }]), {
    code: 'parquet_invalid',
    message: /^(?!.*canary)/,
  });
});

t.test('rows are divided by the partitions of the table', async (t) => {
  const source = await parquet(`SELECT range AS id, 'c' || (range % 3) AS city FROM range(30)`);
  const spec = {
    'spec-id': 1,
    fields: [{ 'source-id': 2, 'field-id': 1000, name: 'city', transform: 'identity' as const }],
  };
  const result = await segment(source, [id, { name: 'city', type: 'string' }], { spec });
  t.strictSame(
    result.files
      .map(({ partition, record_count: rows }) => [Buffer.from(partition?.[1000] ?? '', 'base64').toString(), rows])
      .sort(),
    [
      ['c0', '10'],
      ['c1', '10'],
      ['c2', '10'],
    ],
  );
});

t.test('a value with a time inside that lies in no day is no value', async (t) => {
  const source = join(root, 'sources', `${files++}.parquet`);
  const script = `
import json, sys, pyarrow as pa, pyarrow.parquet as pq
times = pa.array([1, 2 ** 62, None, -1], pa.int64()).view(pa.time64('us'))
names = pa.array(['a', 'b', 'c', 'd'])
places = [0, 1, 2, 3, 4]
inner = pa.StructArray.from_arrays([names, times], ['a "b", c', 'when'])
pq.write_table(pa.table({
  'id': [1, 2, 3, 4],
  'listed': pa.ListArray.from_arrays(places, times),
  'mapped': pa.MapArray.from_arrays(places, names, times),
  'deep': pa.ListArray.from_arrays(places, pa.StructArray.from_arrays([pa.ListArray.from_arrays(places, inner)], ['in'])),
}), sys.argv[1])
print(json.dumps(None))`;
  await runPython(script, source);
  const names = ['listed', 'mapped', 'deep'];
  const result = await segment(source, [id, ...names.map((name): Column => ({ name, type: 'string' }))]);
  t.match(result, { rows: 4, rowsWithErrors: 2 });
  const marks = names.map((field) => ({ field, change: 'nulled', reason: 'invalid_string' }));
  const odd = { listed: null, mapped: null, deep: null, _errors: marks };
  t.match(await rowsOf(result, 'id'), [
    {
      listed: '["00:00:00.000001"]',
      mapped: '{"a":"00:00:00.000001"}',
      deep: '[{"in":[{"a \\"b\\", c":"a","when":"00:00:00.000001"}]}]',
      _errors: [],
    },
    odd,
    { listed: '[null]', mapped: '{"c":null}', _errors: [] },
    odd,
  ]);
});
