import t from 'tap';
import type { GivenVersionBody } from '../src/contract/documents.ts';
import { documentFaults } from '../src/model/type/faults.ts';
import { property } from './kit.ts';

const ID = property('id', 'string', { required: true });
const faultsOf = (more: object[], rest: object = {}) =>
  documentFaults({ properties: [ID, ...more], primary_key: ['id'], ...rest } as GivenVersionBody).map(
    ({ pointer, code }) => `${pointer} ${code}`,
  );
const P = '/properties/1';

t.test('a document that is in order has no fault', async (t) => {
  const properties = [
    property('price', 'decimal', { constraints: { precision: 9, scale: 2, min: '0', max: '10.50' } }),
    property('count', 'long', {
      constraints: { min: '-9223372036854775808', max: '9223372036854775807' },
      enum: ['1'],
    }),
    property('size', 'integer', { enum: [1, 2], indexed: true, unique: true }),
    property('when', 'timestamptz', { constraints: { min: '2026-01-01T00:00:00Z' } }),
    property('name', 'text', { constraints: { pattern: '^[a-z]+$', max_length: 9 }, enum: ['a'] }),
    property('tags', 'list', { item_type: 'string', indexed: true }),
    property('more', 'json', { carrier_type: 'array' }),
    property('place', 'geometry', { sensitive: true, status: 'deprecated' }),
    property('new', 'string', { renamed_from: 'old' }),
  ];
  t.strictSame(faultsOf(properties, { title_property: 'name' }), []);
  for (const type of ['string', 'uuid', 'uri', 'email', 'integer', 'long', 'date', 'timestamp', 'timestamptz'])
    t.strictSame(faultsOf([property('key', type, { required: true })], { primary_key: ['id', 'key'] }), [], type);
});

t.test('each rule of documents → its place and code', async (t) => {
  const cases: [object, string[]][] = [
    [property('ID'), [`${P}/code repeated`]],
    [property('p', 'long', { carrier_type: 'number' }), [`${P}/carrier_type carrier_mismatch`]],
    [property('p', 'list'), [`${P}/item_type required`]],
    [property('p', 'string', { item_type: 'string' }), [`${P}/item_type not_a_list`]],
    [property('p', 'json', { indexed: true }), [`${P}/indexed not_indexable`]],
    [property('p', 'list', { item_type: 'geometry', indexed: true }), [`${P}/indexed not_indexable`]],
    [property('p', 'list', { item_type: 'string', unique: true }), [`${P}/unique not_unique`]],
    [property('p', 'double', { enum: ['a'] }), [`${P}/enum no_enum`]],
    [property('p', 'integer', { enum: [1, '2'] }), [`${P}/enum/1 type`]],
    [property('p', 'string', { enum: [1] }), [`${P}/enum/0 type`]],
    [property('p', 'string', { constraints: { min: 1 } }), [`${P}/constraints/min misplaced`]],
    [property('p', 'integer', { constraints: { pattern: 'a' } }), [`${P}/constraints/pattern misplaced`]],
    [property('p', 'long', { constraints: { min: 1 } }), [`${P}/constraints/min type`]],
    [property('p', 'integer', { constraints: { max: 2 ** 31 } }), [`${P}/constraints/max type`]],
    [property('p', 'date', { constraints: { min: '1.1.2026' } }), [`${P}/constraints/min type`]],
    [property('p', 'integer', { constraints: { min: 2, max: 1 } }), [`${P}/constraints/max range`]],
    [
      property('p', 'long', { constraints: { min: '9007199254740993', max: '9007199254740992' } }),
      [`${P}/constraints/max range`],
    ],
    [property('p', 'string', { constraints: { pattern: '(?=a)' } }), [`${P}/constraints/pattern pattern`]],
    [property('p', 'decimal'), [`${P}/constraints/precision required`, `${P}/constraints/scale required`]],
    [property('p', 'decimal', { constraints: { precision: 2, scale: 3 } }), [`${P}/constraints/scale range`]],
    [property('p', 'string', { renamed_from: 'id' }), [`${P}/renamed_from taken`]],
  ];
  for (const [given, faults] of cases) t.strictSame(faultsOf([given]), faults, JSON.stringify(given));
});

t.test('keys, titles and relationships → properties that can be such', async (t) => {
  const key = (facts: object) =>
    faultsOf([property('k', 'string', { required: true, ...facts })], { primary_key: ['k'] });
  t.strictSame(key({ required: false }), ['/primary_key/0 not_required']);
  t.strictSame(key({ status: 'deprecated' }), ['/primary_key/0 deprecated']);
  for (const value_type of ['text', 'double', 'boolean', 'json'])
    t.strictSame(key({ value_type }), ['/primary_key/0 no_key_type'], value_type);
  t.strictSame(faultsOf([], { primary_key: ['none'] }), ['/primary_key/0 unknown']);
  t.strictSame(faultsOf([], { title_property: 'none' }), ['/title_property unknown']);
  const link = (code: string) => ({ code, target_type: 'Person', target_key: ['id'], cardinality: 'one' });
  t.strictSame(faultsOf([], { relationships: [link('owner'), link('Owner')] }), ['/relationships/1/code repeated']);
  t.strictSame(faultsOf([], { relationships: [link('id')] }), ['/relationships/0/code repeated']);
});
