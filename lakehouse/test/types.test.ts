import fc from 'fast-check';
import t from 'tap';
import {
  assignFieldIds,
  type Column,
  type ColumnType,
  evolveSchema,
  jsonSchemaToColumns,
  jsonSchemaType,
  META_COLUMNS,
  schemaColumns,
  type TableSchema,
  withMetaColumns,
} from '../src/index.ts';
import { allFields, maxFieldId } from '../src/schema/types.ts';

const schemaOf = (columns: readonly Column[]): TableSchema => ({
  type: 'struct',
  'schema-id': 0,
  fields: assignFieldIds(columns),
});

const TYPING: readonly [unknown, ColumnType][] = [
  [{ type: 'string' }, 'string'],
  [{ type: ['null', 'string'] }, 'string'],
  [{ type: 'integer' }, 'long'],
  [{ type: ['integer', 'null'] }, 'long'],
  [{ type: 'number' }, 'double'],
  [{ type: 'number', airbyte_type: 'integer' }, 'long'],
  [{ type: 'integer', airbyte_type: 'big_integer' }, 'decimal(38, 0)'],
  [{ type: 'string', airbyte_type: 'big_integer' }, 'decimal(38, 0)'],
  [{ type: 'number', airbyte_type: 'big_number' }, 'decimal(38, 9)'],
  [{ type: 'boolean' }, 'boolean'],
  [{ type: 'string', format: 'date' }, 'date'],
  [{ type: 'string', format: 'date-time' }, 'timestamptz'],
  [{ type: 'string', format: 'date-time', airbyte_type: 'timestamp_without_timezone' }, 'timestamp'],
  [{ type: 'string', format: 'date-time', airbyte_type: 'timestamp_with_timezone' }, 'timestamptz'],
  [{ type: 'string', format: 'time' }, 'time'],
  [{ type: 'string', airbyte_type: 'time_without_timezone' }, 'time'],
  [{ type: 'string', airbyte_type: 'time_with_timezone' }, 'string'],
  [{ type: 'string', format: 'uri' }, 'string'],
  [{ type: 'string', weir_type: 'decimal(18,2)' }, 'decimal(18, 2)'],
  [{ type: 'integer', weir_type: 'int' }, 'int'],
  [{ type: 'number', weir_type: 'float', airbyte_type: 'integer' }, 'float'],
  [{ type: 'string', weir_type: 'decimal(99,2)' }, 'string'],
  [{ type: 'string', weir_type: 'nonsense', format: 'date' }, 'date'],
  [{ type: 'object', properties: { a: { type: 'string' } } }, 'string'],
  [{ type: 'array', items: { type: 'integer' } }, 'string'],
  [{ type: ['string', 'integer'] }, 'string'],
  [{ oneOf: [{ type: 'integer' }, { type: 'string' }] }, 'string'],
  [{ type: 'integer', anyOf: [{}] }, 'string'],
  [{}, 'string'],
  [true, 'string'],
  [{ type: 'string', airbyte_type: 'constructor', format: 'toString' }, 'string'],
  [{ type: 'constructor' }, 'string'],
];

t.test('a JSON schema gives columns in its order, each with the type it states most exactly', async (t) => {
  for (const [property, type] of TYPING) t.equal(jsonSchemaType(property), type, JSON.stringify(property));
  const columns = jsonSchemaToColumns({ properties: { b: { type: 'integer' }, a: { type: 'string' } } });
  t.strictSame(columns, [
    { name: 'b', type: 'long' },
    { name: 'a', type: 'string' },
  ]);
  const named = { '2019': { type: 'integer' }, '2020': { type: 'integer' }, b: {}, a: {} };
  const ordered = jsonSchemaToColumns({ properties: named, weir_order: ['b', '2020', 7, 'gone', '2019'] });
  t.strictSame(
    ordered.map(({ name }) => name),
    ['b', '2020', '2019', 'a'],
  );
  for (const none of [null, {}, { properties: [] }, 'x']) t.strictSame(jsonSchemaToColumns(none), []);
});

t.test('field ids are unique, a level before what is nested in it', async (t) => {
  const fields = assignFieldIds(withMetaColumns([{ name: 'a', type: 'long' }]));
  t.strictSame(
    fields.map((field) => field.id),
    [1, 2, 3, 4, 5],
  );
  t.match(fields[3], {
    name: '_errors',
    type: { 'element-id': 6, element: { fields: [{ id: 7 }, { id: 8 }, { id: 9 }] } },
  });
  t.strictSame(schemaColumns(schemaOf(META_COLUMNS)), META_COLUMNS);
});

t.test('reserved names and names that differ only in case are refused by name', async (t) => {
  t.throws(() => withMetaColumns([{ name: '_Run_id', type: 'string' }]), {
    code: 'column_reserved',
    columns: ['_Run_id'],
  });
  const columns: Column[] = ['id', 'x', 'ID'].map((name) => ({ name, type: 'long' }));
  t.throws(() => assignFieldIds(columns), { code: 'column_duplicate', columns: ['ID'] });
});

t.test('a schema grows by new columns and wider types, and by nothing else', async (t) => {
  const current = schemaOf([
    { name: 'i', type: 'int' },
    { name: 'f', type: 'float' },
    { name: 'd', type: 'decimal(9, 2)' },
    { name: 's', type: 'string' },
  ]);
  const grown = evolveSchema(current, [
    { name: 'new', type: 'date' },
    { name: 'i', type: 'long' },
    { name: 'f', type: 'double' },
    { name: 'd', type: 'decimal(18, 2)' },
  ]);
  t.ok(grown.changed);
  t.strictSame(
    grown.schema.fields.map(({ id, name, type }) => [id, name, type]),
    [
      [1, 'i', 'long'],
      [2, 'f', 'double'],
      [3, 'd', 'decimal(18, 2)'],
      [4, 's', 'string'],
      [5, 'new', 'date'],
    ],
  );
  const same = evolveSchema(grown.schema, [{ name: 'i', type: 'int' }]);
  t.notOk(same.changed);
  t.equal(same.schema, grown.schema);
  const wrong: Column[] = [
    { name: 'i', type: 'string' },
    { name: 'd', type: 'decimal(18, 3)' },
    { name: 'S', type: 'string' },
  ];
  t.throws(() => evolveSchema(current, wrong), { code: 'schema_incompatible', columns: ['i', 'd', 'S'] });
  t.equal(evolveSchema(current, [{ name: 'n', type: 'int' }], 40).schema.fields.at(-1)?.id, 41);
});

t.test('evolving twice by the same columns changes nothing the second time', async (t) => {
  const type = fc.constantFrom<ColumnType>('int', 'long', 'string', 'date', 'decimal(9, 2)');
  const columns = fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[a-z]{1,3}$/), type }), {
    selector: (column) => column.name,
  });
  fc.assert(
    fc.property(columns, columns, (before, after) => {
      const current = schemaOf(before);
      let once: ReturnType<typeof evolveSchema>;
      try {
        once = evolveSchema(current, after);
      } catch {
        return;
      }
      t.notOk(evolveSchema(once.schema, after).changed);
      t.ok(current.fields.every((field) => once.schema.fields.some((kept) => kept.id === field.id)));
    }),
  );
});

t.test('what is nested in a column grows with it, and what does not fit is named by the column', async (t) => {
  const shape = (inner: ColumnType): Column[] => [
    { name: 'deep', type: { struct: [{ name: 'list', type: { list: inner } }] } },
    { name: 'map', type: { map: { key: 'string', value: inner } } },
  ];
  const small: ColumnType = { struct: [{ name: 'x', type: 'int' }] };
  const struct = (...fields: Column[]): ColumnType => ({ struct: fields });
  const large = struct({ name: 'x', type: 'long' }, { name: 'y', type: { list: 'string' } });
  const current = { type: 'struct' as const, 'schema-id': 0, fields: assignFieldIds(shape(small)) };
  const last = maxFieldId(current.fields);
  const { schema } = evolveSchema(current, shape(large), last);
  t.strictSame(schemaColumns(schema), shape(large));
  const ids = allFields(schema.fields).map((field) => field.id);
  t.equal(new Set(ids).size, ids.length);
  for (const field of allFields(current.fields)) {
    t.match(
      allFields(schema.fields).find((one) => one.id === field.id),
      { name: field.name },
    );
  }
  t.strictSame(evolveSchema(schema, shape(small), last).changed, false);
  const other = shape(struct({ name: 'x', type: 'string' }));
  t.throws(() => evolveSchema(current, other, last), { code: 'schema_incompatible', columns: ['deep', 'map'] });
});
