import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { rowChecksumSql } from '../src/duckdb/checksum.ts';
import { openSession } from '../src/duckdb/duckdb-session.ts';
import { createStager, createTable, currentSchema, localFileIO, toLocation, withMetaColumns } from '../src/index.ts';

const SHAPE = { data: ['d'], extractedAt: ['t'], changes: ['c'] } as const;
const TYPES = ['long', 'string', 'double', 'date', 'decimal(18, 2)'] as const;
const VALUES = [
  (row: number) => row,
  (row: number) => `t${row}`,
  (row: number) => row / 2,
  () => '2024-02-29',
  () => '1.50',
];

t.test('rows of more columns than fit in memory at once → one file, its figures, marks and extras', async (t) => {
  const folder = t.testdir();
  const io = localFileIO({ root: folder });
  const names = Array.from({ length: 1203 }, (_, at) => `c${at}`);
  const columns = withMetaColumns(names.map((name, at) => ({ name, type: TYPES[at % 5] ?? 'string' })));
  const { metadata } = await createTable({ io, location: toLocation(join(folder, 'table')), columns });
  const schema = currentSchema(metadata);
  const row = (id: number) => Object.fromEntries(names.map((name, at) => [name, VALUES[at % 5]?.(id) ?? null]));
  const lines = [
    { d: row(1), t: 0 },
    { d: { ...row(2), c0: 'no number', c1200: 'nor this' }, t: 0 },
    { d: { ...row(3), more: { x: 1 } }, t: 0, c: [{ field: 'c5', change: 'nulled', reason: 'source_error' }] },
    { d: { c1: 'alone' }, t: 0 },
    'no row',
  ];
  const source = join(folder, 'spool.ndjson');
  await writeFile(source, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  // As much as a sync has: a fifth of what all columns at once would take.
  const stager = await createStager({ io, scratch: join(folder, 'scratch'), memoryLimit: '200MB' });
  t.teardown(() => stager.close());
  const request = { source, shape: SHAPE, schema, runId: 'r', position: 0, lines: lines.length };
  const copied = await stager.copy({ ...request, folder: `${metadata.location}/data/x` });
  t.match(copied, { rows: 4, rowsWithErrors: 2, rowsWithExtra: 2, rejected: { count: 1 } });
  t.match(copied.unknown, [{ name: 'more', type: 'string' }]);
  t.equal(copied.files.length, 1);
  const session = await openSession({ tempDirectory: join(folder, 'spill'), memoryLimit: '2GB', threads: 1 });
  t.teardown(() => session.close());
  const path = fileURLToPath(copied.files[0]?.location ?? '');
  const [sum] = await session.rows<{ c: string }>(`SELECT ${rowChecksumSql(schema)} AS c FROM read_parquet('${path}')`);
  t.equal(copied.checksum, sum?.c, 'the checksum of all columns at once');
  const kept = `SELECT c0, c1, c1199, c1202, _errors::JSON AS e, _extra AS x FROM read_parquet('${path}')`;
  t.strictSame(await session.rows(kept), [
    { c0: '1', c1: 't1', c1199: '1.50', c1202: 0.5, e: '[]', x: null },
    {
      c0: null,
      c1: 't2',
      c1199: '1.50',
      c1202: 1,
      e: '[{"field":"c0","change":"nulled","reason":"invalid_long"},{"field":"c1200","change":"nulled","reason":"invalid_long"}]',
      x: '{"c0":"no number","c1200":"nor this"}',
    },
    {
      c0: '3',
      c1: 't3',
      c1199: '1.50',
      c1202: 1.5,
      e: '[{"field":"c5","change":"nulled","reason":"source_error"}]',
      x: '{"more":{"x":1}}',
    },
    { c0: null, c1: 'alone', c1199: null, c1202: null, e: '[]', x: null },
  ]);
  const id = (name: string) => String(schema.fields.find((field) => field.name === name)?.id);
  const { record_count, null_value_counts: nulls, file_size_in_bytes: size } = copied.files[0] ?? {};
  t.match({ record_count, c0: nulls?.[id('c0')], c1: nulls?.[id('c1')] }, { record_count: '4', c0: '2', c1: '0' });
  t.equal(Object.keys(nulls ?? {}).length, schema.fields.length + 2, 'each leaf has its figures');
  const ids = `SELECT count(DISTINCT field_id) AS n FROM parquet_schema('${path}') WHERE field_id IS NOT NULL`;
  t.strictSame(await session.rows(ids), [{ n: String(schema.fields.length + 4) }], 'each column has its id');
  t.equal(Number(size), (await stat(path)).size);
});
