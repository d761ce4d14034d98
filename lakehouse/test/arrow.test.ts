import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Table, tableFromIPC } from 'apache-arrow';
import t from 'tap';
import type { FieldType } from '../src/index.ts';
import { planned } from './lake.ts';
import { runPython } from './python.ts';
import { readingPlace, schemaOf } from './typed-table.ts';

const STRUCT: FieldType = {
  type: 'struct',
  fields: [
    { id: 1, name: 'a b', required: false, type: 'long' },
    {
      id: 2,
      name: 'tags',
      required: false,
      type: { type: 'list', 'element-id': 3, element: 'string', 'element-required': false },
    },
  ],
};
const MAP: FieldType = {
  type: 'map',
  'key-id': 5,
  key: 'string',
  'value-id': 6,
  value: 'long',
  'value-required': false,
};
const LIST: FieldType = { type: 'list', 'element-id': 4, element: 'long', 'element-required': false };

/** Types, two values of each as SQL reads them, and what Arrow calls the type. */
const COLUMNS: readonly (readonly [FieldType, string, string, string])[] = [
  ['boolean', 'true', 'false', 'bool'],
  ['int', '-2147483648', '2147483647', 'int32'],
  ['long', '9007199254740993', '-9223372036854775808', 'int64'],
  ['float', '0.5', 'NaN', 'float'],
  ['double', '0.1', '-Infinity', 'double'],
  ['date', '0001-01-01', '9999-12-31', 'date32[day]'],
  ['time', '00:00:00.000001', '23:59:59.999999', 'time64[us]'],
  ['timestamp', '1969-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999', 'timestamp[us]'],
  ['timestamptz', '2026-01-02 03:04:05.000006+00', '0001-01-01 00:00:00+00', 'timestamp[us, tz=UTC]'],
  ['string', '', 'é\u{1f600}', 'string'],
  ['uuid', '01890000-0000-7000-8000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'extension<arrow.uuid>'],
  ['binary', '\\x00\\xFF', '', 'binary'],
  ['decimal(38, 10)', '-9999999999999999999999999999.9999999999', '0.0000000001', 'decimal128(38, 10)'],
  ['decimal(4, 0)', '-1234', '0', 'decimal128(4, 0)'],
  [LIST, '[9223372036854775807, NULL]', '[]', 'list<element: int64>'],
  [
    STRUCT,
    "{'a b': 9007199254740993, 'tags': [x, NULL]}",
    "{'a b': NULL, 'tags': NULL}",
    'struct<a b: int64, tags: list<element: string>>',
  ],
  [MAP, '{a=9007199254740993, b=NULL}', '{}', 'map<string, int64>'],
  ['fixed[3]', '\\x00\\xFFa', 'abc', 'fixed_size_binary[3]'],
];

const IN_PYTHON = `
import json, sys
import pyarrow.ipc as ipc
table = ipc.open_stream(open(sys.argv[1], 'rb').read()).read_all()
def text(value):
    if isinstance(value, tuple): return [text(v) for v in value]
    if isinstance(value, list): return [text(v) for v in value]
    if isinstance(value, dict): return {k: text(v) for k, v in value.items()}
    if isinstance(value, bytes): return value.hex()
    return None if value is None else str(value)
print(json.dumps({
    'types': [str(field.type) for field in table.schema],
    'ids': [field.metadata[b'PARQUET:field_id'].decode() for field in table.schema],
    'labels': {k.decode(): v.decode() for k, v in table.schema.metadata.items()},
    'rows': [[text(value) for value in row.values()] for row in table.to_pylist()],
}))
`;

t.test('the Arrow form', async (t) => {
  const { folder, writer, pool } = await readingPlace(t);
  const schema = schemaOf(COLUMNS.map(([type]) => type));
  const rows = [COLUMNS.map(([, one]) => one), COLUMNS.map(() => null), COLUMNS.map(([, , other]) => other)];
  const { location } = await writer.write(schema, rows);
  const request = { files: planned([location]), schema, limit: 10 };
  const labels = { 'weir.snapshot_id': '9223372036854775807' };

  t.test('is what the JSON form says, for a reader in this language', async (t) => {
    const { stream, more, last } = await pool.previewArrow(request, labels);
    const json = await pool.preview(request);
    const table: Table = tableFromIPC(stream);
    t.strictSame([more, last, table.numRows], [json.more, json.last, 3]);
    t.equal(table.schema.metadata.get('weir.snapshot_id'), '9223372036854775807');
    t.equal(table.getChild('c3')?.get(0), 9_007_199_254_740_993n);
    t.equal(table.getChild('c3')?.get(2), -(2n ** 63n));
    t.equal(table.getChild('c10')?.get(2), 'é\u{1f600}');
    t.strictSame([...table.getChild('c15')!.get(0)], [2n ** 63n - 1n, null]);
    t.equal(table.getChild('c16')?.get(0)?.['a b'], 9_007_199_254_740_993n);
    for (const name of table.schema.names) t.equal(table.getChild(name)?.get(1), null, String(name));
  });

  t.test('is read by PyArrow with exact types and values', async (t) => {
    const { stream } = await pool.previewArrow(request, labels);
    const path = join(folder, 'preview.arrows');
    await writeFile(path, stream);
    const found = (await runPython(IN_PYTHON, path)) as Record<string, unknown> & { rows: unknown[][] };
    t.strictSame(
      found.types,
      COLUMNS.map(([, , , name]) => name),
    );
    t.strictSame(
      found.ids,
      schema.fields.map(({ id }) => String(id)),
    );
    t.strictSame(found.labels, labels);
    t.strictSame(
      found.rows[1],
      COLUMNS.map(() => null),
    );
    t.strictSame(found.rows[0], [
      'True',
      '-2147483648',
      '9007199254740993',
      '0.5',
      '0.1',
      '0001-01-01',
      '00:00:00.000001',
      '1969-12-31 23:59:59.999999',
      '2026-01-02 03:04:05.000006+00:00',
      '',
      '01890000-0000-7000-8000-000000000001',
      '00ff',
      '-9999999999999999999999999999.9999999999',
      '-1234',
      ['9223372036854775807', null],
      { 'a b': '9007199254740993', tags: ['x', null] },
      [
        ['a', '9007199254740993'],
        ['b', null],
      ],
      '00ff61',
    ]);
    t.strictSame(found.rows[2], [
      'False',
      '2147483647',
      '-9223372036854775808',
      'nan',
      '-inf',
      '9999-12-31',
      '23:59:59.999999',
      '9999-12-31 23:59:59.999999',
      '0001-01-01 00:00:00+00:00',
      'é\u{1f600}',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      '',
      '1E-10',
      '0',
      [],
      { 'a b': null, tags: null },
      [],
      '616263',
    ]);
  });

  t.test('of no rows still has its schema', async (t) => {
    const { stream, more, last } = await pool.previewArrow({ ...request, files: [] }, {});
    const table = tableFromIPC(stream);
    t.strictSame([table.numRows, table.schema.fields.length, more, last], [0, COLUMNS.length, false, undefined]);
  });
});
