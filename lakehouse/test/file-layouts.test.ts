import { randomUUID } from 'node:crypto';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import t from 'tap';
import { fieldIdsLiteral, literal } from '../src/duckdb/duckdb-sql.ts';
import type { Field, FieldType, TableSchema } from '../src/index.ts';
import { NAME_MAPPING_PROPERTY } from '../src/rows/name-mapping.ts';
import { planned } from './lake.ts';
import { runPython } from './python.ts';
import { readingPlace } from './typed-table.ts';

const schemaWith = (fields: readonly Field[]): TableSchema => ({ type: 'struct', 'schema-id': 0, fields });
const field = (id: number, name: string, type: FieldType): Field => ({ id, name, required: false, type });
const struct = (...fields: Field[]): FieldType => ({ type: 'struct', fields });
const list = (id: number, element: FieldType): FieldType => ({
  type: 'list',
  'element-id': id,
  element,
  'element-required': false,
});
const map = (key: number, id: number, value: FieldType): FieldType => ({
  type: 'map',
  'key-id': key,
  key: 'string',
  'value-id': id,
  value,
  'value-required': false,
});

/** Writes a Parquet file of one query, with the ids of fields or without any. */
async function writer(folder: string) {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  return async (query: string, fields?: readonly Field[]): Promise<string> => {
    const path = `${folder}/${randomUUID()}.parquet`;
    const ids = fields === undefined ? '' : `, FIELD_IDS ${fieldIdsLiteral(fields)}`;
    await connection.run(`COPY (${query}) TO ${literal(path)} (FORMAT parquet${ids})`);
    return path;
  };
}

t.test('nested fields are read by their ids: renamed, dropped, added again, widened, moved', async (t) => {
  const { folder, pool } = await readingPlace(t);
  const write = await writer(folder);
  const old = [
    field(1, 'a', 'int'),
    field(2, 's', struct(field(3, 'x', 'int'), field(4, 'y', 'string'))),
    field(5, 'l', list(6, struct(field(7, 'p', 'float'), field(8, 'q', 'string')))),
    field(9, 'm', map(10, 11, struct(field(12, 'k', 'int')))),
  ];
  const one = await write(
    `SELECT 1::INT AS a, {'x': 2::INT, 'y': 'y'} AS s, [{'p': 1.5::FLOAT, 'q': 'q'}, NULL] AS l, MAP {'one': {'k': 7::INT}} AS m
     UNION ALL SELECT NULL, NULL, NULL, NULL`,
    old,
  );
  const now = [
    field(5, 'items', list(6, struct(field(8, 'p', 'string'), field(13, 'q', 'string'), field(7, 'r', 'double')))),
    field(2, 's', struct(field(4, 'x', 'string'), field(14, 'y', 'string'), field(3, 'z', 'long'))),
    field(9, 'm', map(10, 11, struct(field(15, 'k', 'int'), field(12, 'n', 'long')))),
    field(1, 'b', 'long'),
    field(16, 'a', 'int'),
  ];
  const two = await write(
    `SELECT [{'p': 'P', 'q': 'Q', 'r': 2.5::DOUBLE}] AS items, {'x': 'X', 'y': 'Y', 'z': 3::BIGINT} AS s,
       MAP {'two': {'k': 1::INT, 'n': 2::BIGINT}} AS m, 4::BIGINT AS b, 5::INT AS a`,
    now,
  );
  const page = (paths: string[], columns?: string[]) =>
    pool.preview({ files: planned(paths), schema: schemaWith(now), limit: 10, ...(columns ? { columns } : {}) });
  const fromOld = [
    [
      [{ p: 'q', q: null, r: 1.5 }, null],
      { x: 'y', y: null, z: '2' },
      [{ key: 'one', value: { k: null, n: '7' } }],
      '1',
      null,
    ],
    [null, null, null, null, null],
  ];
  const fromNew = [
    [[{ p: 'P', q: 'Q', r: 2.5 }], { x: 'X', y: 'Y', z: '3' }, [{ key: 'two', value: { k: 1, n: '2' } }], '4', 5],
  ];
  t.strictSame((await page([one])).rows, fromOld);
  t.strictSame((await page([two])).rows, fromNew);
  t.strictSame((await page([one, two, one])).rows, [...fromOld, ...fromNew, ...fromOld], 'also side by side');
  t.strictSame((await page([two, one], ['a'])).rows, [[5], [null], [null]], 'a column that none of a file has');
});

t.test('files without field ids are read by the name mapping, or by the names of now', async (t) => {
  const { folder, pool } = await readingPlace(t);
  const write = await writer(folder);
  const fields = [
    field(1, 'a', 'long'),
    field(2, 's', struct(field(3, 'x', 'long'))),
    field(4, 'l', list(5, struct(field(6, 'p', 'string')))),
    field(7, 'later', 'string'),
  ];
  const bare = await write(`SELECT 1::INT AS old_a, {'old_x': 2::INT} AS s, [{'p': 'p'}] AS l, 'no' AS unmapped`);
  const named = await write(`SELECT 3::BIGINT AS a, {'x': 4::BIGINT} AS s, [{'p': 'q'}] AS l, 'z' AS later`, fields);
  const mapping = [
    { 'field-id': 1, names: ['a', 'old_a'] },
    { 'field-id': 2, names: ['s'], fields: [{ 'field-id': 3, names: ['x', 'old_x'] }] },
    {
      'field-id': 4,
      names: ['l'],
      fields: [{ 'field-id': 5, names: ['element'], fields: [{ 'field-id': 6, names: ['p'] }] }],
    },
    { names: ['unmapped'] },
  ];
  const schema = schemaWith(fields);
  const read = async (files: string[], properties: Record<string, string>) =>
    (await pool.preview({ files: planned(files), schema, limit: 10, table: { schemas: [schema], properties } })).rows;
  const mapped = { [NAME_MAPPING_PROPERTY]: JSON.stringify(mapping) };
  t.strictSame(await read([bare, named], mapped), [
    ['1', { x: '2' }, [{ p: 'p' }], null],
    ['3', { x: '4' }, [{ p: 'q' }], 'z'],
  ]);
  t.strictSame(await read([bare], {}), [[null, { x: null }, [{ p: 'p' }], null]]);
  t.strictSame(await read([bare], { [NAME_MAPPING_PROPERTY]: 'no json' }), [[null, { x: null }, [{ p: 'p' }], null]]);
});

const FOREIGN = `
import sys, json, decimal, datetime, uuid
import pyarrow as pa, pyarrow.parquet as pq
folder = sys.argv[1]
def ids(field, id, *inner):
    return field.with_metadata({b'PARQUET:field_id': str(id).encode()})
f = lambda id, name, type: ids(pa.field(name, type), id)
schema = pa.schema([
  f(1, 'u', pa.binary(16)), f(2, 's', pa.binary()), f(3, 't', pa.timestamp('ns')),
  f(4, 'fix', pa.binary(3)), f(5, 'd', pa.decimal128(5, 2)), f(6, 'l', pa.list_(f(7, 'item', pa.int32()))),
  f(8, 'm', pa.map_(f(9, 'key', pa.string()).with_nullable(False), f(10, 'value', pa.int32()))), f(11, 'ms', pa.time32('ms')),
])
moment = datetime.datetime(2024, 5, 6, 7, 8, 9, 123456)
row = {'u': uuid.UUID('0189abcd-0000-7000-8000-000000000001').bytes, 's': 'h\\u00e4'.encode(), 't': moment, 'fix': b'abc',
  'd': decimal.Decimal('1.25'), 'l': [1, None], 'm': [('k', 5)], 'ms': datetime.time(1, 2, 3, 4000)}
table = pa.Table.from_pylist([row, dict.fromkeys(row)], schema=schema)
pq.write_table(table, folder + '/old.parquet', use_deprecated_int96_timestamps=True, use_compliant_nested_type=False)
pq.write_table(table, folder + '/new.parquet', version='1.0', data_page_version='2.0', compression='gzip')
print(json.dumps(True))
`;

t.test('files of other writers are read: INT96, bytes without a meaning, old lists', async (t) => {
  const { folder, pool } = await readingPlace(t);
  await runPython(FOREIGN, folder);
  const schema = schemaWith([
    ...[field(1, 'u', 'uuid'), field(2, 's', 'string'), field(3, 't', 'timestamptz'), field(4, 'fix', 'fixed[3]')],
    ...[field(5, 'd', 'decimal(9, 2)'), field(6, 'l', list(7, 'long')), field(8, 'm', map(9, 10, 'long'))],
    field(11, 'ms', 'time'),
  ]);
  const row = [
    '0189abcd-0000-7000-8000-000000000001',
    'h\u00e4',
    '2024-05-06T07:08:09.123456Z',
    Buffer.from('abc').toString('base64'),
    '1.25',
    ['1', null],
    [{ key: 'k', value: '5' }],
    '01:02:03.004',
  ];
  for (const name of ['old', 'new']) {
    const { rows } = await pool.preview({ files: planned([`${folder}/${name}.parquet`]), schema, limit: 10 });
    t.strictSame(rows, [row, row.map(() => null)], name);
  }
});

t.test('any two layouts of the same fields read the same', async (t) => {
  const { folder, pool } = await readingPlace(t);
  const write = await writer(folder);
  const members = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 });
  const layout = fc.record({ ids: fc.shuffledSubarray([1, 2, 3, 4], { minLength: 1 }), names: members });
  await fc.assert(
    fc.asyncProperty(layout, layout, async (before, after) => {
      const fieldsOf = ({ ids, names }: typeof before) =>
        ids.slice(0, names.length).map((id, at) => field(10 + id, names[at]!, 'int'));
      const [was, is] = [fieldsOf(before), fieldsOf(after)];
      const values = was.map(({ id, name }) => `'${name}': ${id}::INT`).join(', ');
      const path = await write(`SELECT {${values}} AS s`, [field(1, 's', struct(...was))]);
      const schema = schemaWith([field(1, 's', struct(...is))]);
      const { rows } = await pool.preview({ files: planned([path]), schema, limit: 1 });
      const wanted = Object.fromEntries(is.map(({ id, name }) => [name, was.some((one) => one.id === id) ? id : null]));
      t.strictSame(rows, [[wanted]], JSON.stringify([was, is]));
    }),
    { numRuns: 100 },
  );
});
