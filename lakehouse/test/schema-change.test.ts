import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../test/lane.ts';
import {
  applySchemaChanges,
  type Column,
  type Field,
  type SchemaChange,
  type TableMetadata,
  type TableSchema,
} from '../src/index.ts';
import { newMetadata } from '../src/metadata/new-metadata.ts';
import { allFields, assignFieldIds } from '../src/schema/types.ts';

// Ids: a 1, when 2, deep 3 (x 6, y 7), list 4 (element 8, z 9), map 5 (key 10, value 11, k 12, v 13).
const COLUMNS: Column[] = [
  { name: 'a', type: 'int' },
  { name: 'when', type: 'timestamptz' },
  {
    name: 'deep',
    type: {
      struct: [
        { name: 'x', type: 'float' },
        { name: 'y', type: 'string' },
      ],
    },
  },
  { name: 'list', type: { list: { struct: [{ name: 'z', type: 'decimal(9, 2)' }] } } },
  {
    name: 'map',
    type: { map: { key: { struct: [{ name: 'k', type: 'int' }] }, value: { struct: [{ name: 'v', type: 'int' }] } } },
  },
];
const table = (more: Partial<TableSchema> = {}): TableMetadata => {
  const partitionBy = [{ column: 'when', transform: 'day' as const }];
  const made = newMetadata({ location: 'file:///t', fields: assignFieldIds(COLUMNS), partitionBy, properties: {} });
  return { ...made, schemas: made.schemas.map((schema) => ({ ...schema, ...more })) };
};
const after = (...changes: SchemaChange[]) => applySchemaChanges(table(), changes).schema.fields;
/** Fields as `name:type`, what is nested in brackets. */
const text = (fields: readonly Field[]): string =>
  fields
    .map(({ name, id, type }) => {
      if (typeof type === 'string') return `${name}${id}:${type}`;
      if (type.type === 'struct') return `${name}${id}(${text(type.fields)})`;
      const inner = type.type === 'list' ? [type.element] : [type.key, type.value];
      return `${name}${id}[${inner.map((one) => (typeof one === 'object' && one.type === 'struct' ? text(one.fields) : String(one)))}]`;
    })
    .join(' ');
const WHOLE = 'a1:int when2:timestamptz deep3(x6:float y7:string) list4[z9:decimal(9, 2)] map5[k12:int,v13:int]';

t.test('each change does what it says, to nested fields too', async (t) => {
  t.equal(text(after()), WHOLE);
  const cases: [SchemaChange, (whole: string) => string][] = [
    [{ change: 'add', column: { name: 'n', type: 'long' } }, (whole) => `${whole} n14:long`],
    [
      { change: 'add', column: { name: 'n', type: { list: 'long' } }, parent: 3 },
      (whole) => whole.replace('y7:string', 'y7:string n14[long]'),
    ],
    [
      { change: 'add', column: { name: 'n', type: 'long' }, parent: 4 },
      (whole) => whole.replace('2)]', '2) n14:long]'),
    ],
    [
      { change: 'add', column: { name: 'n', type: 'long' }, parent: 5 },
      (whole) => whole.replace('v13:int', 'v13:int n14:long'),
    ],
    [{ change: 'rename', id: 6, name: 'new' }, (whole) => whole.replace('x6', 'new6')],
    [{ change: 'rename', id: 2, name: 'at' }, (whole) => whole.replace('when2', 'at2')],
    [{ change: 'drop', id: 1 }, (whole) => whole.replace('a1:int ', '')],
    [{ change: 'drop', id: 7 }, (whole) => whole.replace(' y7:string', '')],
    [{ change: 'widen', id: 1, type: 'long' }, (whole) => whole.replace('a1:int', 'a1:long')],
    [{ change: 'widen', id: 6, type: 'double' }, (whole) => whole.replace('x6:float', 'x6:double')],
    [{ change: 'widen', id: 9, type: 'decimal(18, 2)' }, (whole) => whole.replace('decimal(9', 'decimal(18')],
    [{ change: 'widen', id: 13, type: 'long' }, (whole) => whole.replace('v13:int', 'v13:long')],
    [{ change: 'reorder', id: 7, to: 'first' }, (whole) => whole.replace('x6:float y7:string', 'y7:string x6:float')],
    [
      { change: 'reorder', id: 1, to: { after: 2 } },
      (whole) => whole.replace('a1:int when2:timestamptz', 'when2:timestamptz a1:int'),
    ],
    [
      { change: 'reorder', id: 2, to: { before: 1 } },
      (whole) => whole.replace('a1:int when2:timestamptz', 'when2:timestamptz a1:int'),
    ],
  ];
  for (const [change, wanted] of cases) t.equal(text(after(change)), wanted(WHOLE), JSON.stringify(change));
  t.match(after({ change: 'doc', id: 1, doc: 'what it is' })[0], { doc: 'what it is' });
  t.notOk('doc' in after({ change: 'doc', id: 1, doc: 'x' }, { change: 'doc', id: 1, doc: undefined })[0]!);
});

t.test('what a table cannot follow is refused, with the column', async (t) => {
  const required = assignFieldIds(COLUMNS).map((field) => ({ ...field, required: field.id === 1 }));
  const keyed = table({ fields: required, 'identifier-field-ids': [1] });
  const refused: [SchemaChange, string, string[], TableMetadata?][] = [
    [{ change: 'add', column: { name: 'A', type: 'long' } }, 'column_duplicate', ['A']],
    [{ change: 'add', column: { name: 'when_day', type: 'date' } }, 'schema_incompatible', ['when_day']],
    [{ change: 'add', column: { name: 'n', type: 'long' }, parent: 1 }, 'schema_incompatible', ['a']],
    [{ change: 'add', column: { name: 'n', type: 'long' }, parent: 10 }, 'schema_incompatible', []],
    [{ change: 'rename', id: 1, name: 'deep' }, 'column_duplicate', ['deep']],
    [{ change: 'rename', id: 8, name: 'item' }, 'schema_incompatible', ['element']],
    [{ change: 'rename', id: 12, name: 'other' }, 'schema_incompatible', ['k']],
    [{ change: 'drop', id: 99 }, 'schema_incompatible', []],
    [{ change: 'drop', id: 2 }, 'schema_incompatible', ['when']],
    [{ change: 'drop', id: 9 }, 'schema_incompatible', ['z']],
    [{ change: 'drop', id: 1 }, 'schema_incompatible', ['a'], keyed],
    [{ change: 'optional', id: 1 }, 'schema_incompatible', ['a'], keyed],
    [{ change: 'widen', id: 1, type: 'string' }, 'schema_incompatible', ['a']],
    [{ change: 'widen', id: 9, type: 'decimal(18, 3)' }, 'schema_incompatible', ['z']],
    [{ change: 'widen', id: 12, type: 'long' }, 'schema_incompatible', ['k']],
    [{ change: 'reorder', id: 6, to: { after: 1 } }, 'schema_incompatible', ['x']],
  ];
  for (const [change, code, columns, of = table()] of refused) {
    t.throws(() => applySchemaChanges(of, [change]), { code, columns }, JSON.stringify(change));
  }
});

t.test('an id is given once, and what is not named stays as it was', async (t) => {
  const ids = allFields(table().schemas[0]!.fields).map((field) => field.id);
  const id = fc.constantFrom(...ids, 14, 15, 16);
  const name = fc.constantFrom('p', 'q', 'r', 'P');
  const change: fc.Arbitrary<SchemaChange> = fc.oneof(
    fc.record({ change: fc.constant('add' as const), column: fc.record({ name, type: fc.constant('int' as const) }) }),
    fc.record({
      change: fc.constant('add' as const),
      column: fc.record({ name, type: fc.constant('int' as const) }),
      parent: id,
    }),
    fc.record({ change: fc.constant('rename' as const), id, name }),
    fc.record({ change: fc.constant('drop' as const), id }),
    fc.record({
      change: fc.constant('reorder' as const),
      id,
      to: fc.oneof(fc.constant('first' as const), fc.record({ after: id })),
    }),
    fc.record({ change: fc.constant('widen' as const), id, type: fc.constantFrom('long' as const, 'double' as const) }),
  );
  const law = (changes: readonly SchemaChange[]) => {
    let metadata = table();
    for (const one of changes) {
      const before = metadata.schemas[0]!;
      const result = (() => {
        try {
          return applySchemaChanges(metadata, [one]);
        } catch (error) {
          t.match(error, { name: 'LakehouseError' });
          return undefined;
        }
      })();
      if (!result) continue;
      const [old, now] = [before, result.schema].map(
        ({ fields }) => new Map(allFields(fields).map((field) => [field.id, field])),
      );
      for (const fresh of now!.keys()) {
        if (!old!.has(fresh)) t.ok(one.change === 'add' && fresh > metadata['last-column-id']);
      }
      t.ok(result.lastColumnId >= metadata['last-column-id']);
      if (one.change === 'drop') t.notOk(now!.has(one.id));
      else for (const kept of old!.keys()) t.ok(now!.has(kept));
      for (const [kept, field] of old!) {
        const changed = 'id' in one && one.id === kept;
        if (typeof field.type === 'string' && !changed && now!.has(kept)) t.strictSame(now!.get(kept), field);
      }
      metadata = { ...metadata, schemas: [result.schema], 'last-column-id': result.lastColumnId };
    }
  };
  fc.assert(fc.property(fc.array(change, { maxLength: 8 }), law), { numRuns: cases(1000) });
});
