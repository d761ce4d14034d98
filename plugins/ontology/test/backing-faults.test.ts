import t from 'tap';
import { type GivenBackingBody, wholeBacking } from '../src/contract/backing/document.ts';
import { isCastable } from '../src/model/backing/castable.ts';
import { mappingFaults } from '../src/model/backing/faults.ts';
import { rowValueFaults } from '../src/model/backing/row-values.ts';
import { wholeDocument } from '../src/model/type/document.ts';
import { property, vehicle } from './kit.ts';

const owner = { code: 'owner', target_type: 'Person', target_key: ['id'], cardinality: 'one' as const };
const drivers = { ...owner, code: 'drivers', cardinality: 'many' as const };
const TYPE = wholeDocument(
  vehicle([property('speed', 'double'), property('wheels', 'integer', { required: true })], {
    relationships: [owner, drivers],
  }) as never,
);
const PERSON = wholeDocument({
  ...vehicle(),
  properties: [property('id', 'long', { required: true })],
  primary_key: ['id'],
} as never);
const columns = Object.entries({
  ...{ vin: 'string', speed: 'double', wheels: 'int', owner_id: 'long', name: 'string', drivers: 'list<long>' },
}).map(([name, type]) => ({ name, type }));

const MAPPED = {
  ...{ name: 'Cars', dataset_id: 'bronze.acme.cars', entity_type_code: 'Vehicle', entity_type_version: 1 },
  property_mappings: [
    { column: 'vin', property: 'vin' },
    { column: 'wheels', property: 'wheels' },
  ],
  primary_key_mapping: [{ column: 'vin', property: 'vin' }],
};
const relation = (more: object) => ({
  ...{ relationship: 'owner', columns: ['owner_id'], target_type: 'Person', target_key: ['id'] },
  ...more,
});

function found(more: object, filledElsewhere: string[] = []): string[] {
  const {
    name: _,
    max_rejected_rows: __,
    sync: ___,
    ...spec
  } = wholeBacking({ ...MAPPED, ...more } as GivenBackingBody);
  const fitted = {
    type: TYPE,
    columns,
    targets: new Map([['Person', PERSON]]),
    filledElsewhere: new Set(filledElsewhere),
  };
  return mappingFaults(spec, fitted).map(({ pointer, code }) => `${pointer} ${code}`);
}

const ALL = MAPPED.property_mappings;
const CASES: [string, object, string[], string[]?][] = [
  ['a mapping that fits', {}, []],
  ['both or neither', { property_mappings: [...ALL, { property: 'speed' }] }, ['/property_mappings/2 one_of_both']],
  [
    'a column that is not there',
    { property_mappings: [...ALL, { column: 'sped', property: 'speed' }] },
    ['/property_mappings/2/column unknown_column'],
  ],
  [
    'a type that does not fit',
    { property_mappings: [...ALL, { column: 'name', property: 'speed' }] },
    ['/property_mappings/2/column not_castable'],
  ],
  [
    'a property that is not there',
    { property_mappings: [...ALL, { column: 'name', property: 'name' }] },
    ['/property_mappings/2/property unknown'],
  ],
  [
    'a property filled twice',
    { property_mappings: [...ALL, { column: 'wheels', property: 'wheels' }] },
    ['/property_mappings/2/property repeated'],
  ],
  [
    'a required property that is left out',
    { property_mappings: ALL.slice(0, 1) },
    ['/property_mappings required_unmapped'],
  ],
  ['one that another fills', { property_mappings: ALL.slice(0, 1), merge_mode: 'owned_properties' }, [], ['wheels']],
  [
    'a key that no property has',
    { primary_key_mapping: [{ column: 'name', property: 'vin' }] },
    ['/property_mappings key_unmapped'],
  ],
  [
    'a key of another property',
    { primary_key_mapping: [{ column: 'wheels', property: 'wheels' }] },
    ['/primary_key_mapping key_unmapped', '/primary_key_mapping/0/property no_key'],
  ],
  ['a relationship', { relationship_mappings: [relation({})] }, []],
  [
    'a relationship to another type',
    { relationship_mappings: [relation({ target_type: 'Firm', target_key: ['no'] })] },
    ['/relationship_mappings/0/target_type target_type', '/relationship_mappings/0/target_key target_key'],
  ],
  [
    'too many columns',
    { relationship_mappings: [relation({ columns: ['owner_id', 'name'] })] },
    ['/relationship_mappings/0/columns length'],
  ],
  [
    'many where one is',
    { relationship_mappings: [relation({ columns: ['drivers'], many: 'list' })] },
    ['/relationship_mappings/0/many cardinality'],
  ],
  [
    'many by a list',
    { relationship_mappings: [relation({ relationship: 'drivers', columns: ['drivers'], many: 'list' })] },
    [],
  ],
  [
    'many by a text',
    { relationship_mappings: [relation({ relationship: 'drivers', columns: ['name'], many: 'split' })] },
    [],
  ],
  [
    'a key of another type',
    { relationship_mappings: [relation({ columns: ['name'] })] },
    ['/relationship_mappings/0/columns/0 not_castable'],
  ],
  [
    'columns of policies',
    { delete_policy: { column: 'gone' }, duplicate_keys: { last_by: 'at' } },
    ['/delete_policy/column unknown_column', '/duplicate_keys/last_by unknown_column'],
  ],
];

t.test('rules of mappings', (t) => {
  for (const [name, more, wanted, elsewhere] of CASES) t.strictSame(found(more, elsewhere), wanted, name);
  t.end();
});

t.test('columns that fill a value type without a cast', (t) => {
  const fits = (value: string, type: string, constraints = {}, item: string | null = null) =>
    isCastable(type, { value_type: value, item_type: item, constraints } as never);
  const types = [
    'string',
    'uuid',
    'boolean',
    'int',
    'long',
    'float',
    'double',
    'date',
    'timestamp',
    'timestamptz',
    'binary',
    'struct<a: int>',
    'list<int>',
    'map<string, int>',
  ];
  const accepted = (value: string) => types.filter((type) => fits(value, type));
  for (const text of ['string', 'text', 'uuid', 'uri', 'email']) t.strictSame(accepted(text), ['string', 'uuid'], text);
  t.strictSame(accepted('integer'), ['int']);
  t.strictSame(accepted('long'), ['int', 'long']);
  t.strictSame(accepted('double'), ['int', 'float', 'double']);
  t.strictSame(accepted('timestamp'), ['timestamp']);
  t.strictSame(accepted('timestamptz'), ['timestamptz']);
  t.strictSame(accepted('json'), ['struct<a: int>', 'list<int>', 'map<string, int>']);
  t.strictSame(accepted('geometry'), ['string', 'struct<a: int>']);
  const money = { precision: 12, scale: 2 };
  t.ok(fits('decimal', 'decimal(12,2)', money));
  t.ok(fits('decimal', 'decimal(9,2)', money));
  t.ok(fits('decimal', 'int', money));
  for (const wide of ['decimal(13,2)', 'decimal(12,3)', 'decimal(12,1)', 'long', 'double', 'string'])
    t.notOk(fits('decimal', wide, money), wide);
  t.ok(fits('list', 'list<int>', {}, 'long'));
  t.notOk(fits('list', 'list<string>', {}, 'long'));
  t.end();
});

t.test('an expression is a value of its row', (t) => {
  const codes = (sql: string) => rowValueFaults(sql, '', new Set(['today', 'over'])).map(({ code }) => code);
  const sound = [
    ...[
      "a || 'select now()'",
      '"select"',
      'extract(year from a)',
      'a -- random()',
      'today + 1',
      'over',
      'trim(both from a)',
    ],
    '$$ (select 1) $$ || a',
  ];
  for (const sql of sound) t.strictSame(codes(sql), [], sql);
  for (const sql of ['now()', 'Random ()', 'current_date', 'today()', 'a + /* x */ uuid()'])
    t.strictSame(codes(sql), ['volatile'], sql);
  const others = [
    '(select 1)',
    '( /* */ FROM t)',
    '(table t)',
    'row_number() over ()',
    'sum(a) OVER w',
    'exists(select 1)',
  ];
  for (const sql of others) t.strictSame(codes(sql), ['other_rows'], sql);
  t.end();
});
