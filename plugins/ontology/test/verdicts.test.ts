import t from 'tap';
import {
  type GivenVersionBody,
  Property,
  type PropertyDocument,
  Relationship,
  VALUE_TYPES,
  VersionDocument,
} from '../src/contract/documents.ts';
import { CHANGES, type ChangeName, compareVersions, verdictOf } from '../src/model/type/compare.ts';
import { CARRIERS, labelled, labelsOf, typeFingerprint, wholeDocument } from '../src/model/type/document.ts';

type Given = GivenVersionBody['properties'][number];

const ID: Given = { code: 'id', value_type: 'string', required: true };
const LINK = { code: 'owner', target_type: 'Person', target_key: ['id'], cardinality: 'one' as const };
const whole = (more: object = {}) => wholeDocument({ properties: [ID], primary_key: ['id'], ...more });
const withProperty = (facts: Partial<Given>) =>
  whole({ properties: [ID, { code: 'p', value_type: 'string', ...facts }] });
const withLink = (facts: object) => whole({ relationships: [{ ...LINK, ...facts }] });
const NUMBER = { value_type: 'integer' as const };
const decimal = (precision: number, scale: number) => ({
  value_type: 'decimal' as const,
  constraints: { precision, scale },
});
const list = (item_type: Given['item_type']) => ({ value_type: 'list' as const, item_type });
const bound = (constraints: object) => ({ ...NUMBER, constraints });
const text = (constraints: object) => ({ constraints });

type Case = [member: string, before: object, after: object, changes: ChangeName[]];

/** Each member of a property, changed alone. */
const OF_PROPERTIES: readonly Case[] = [
  ['value_type', NUMBER, { value_type: 'long' }, ['type_widened']],
  ['value_type', { value_type: 'long' }, NUMBER, ['type_changed']],
  ['value_type', NUMBER, { value_type: 'double' }, ['type_changed']],
  ['value_type', bound({ min: 1 }), { value_type: 'long', constraints: { min: '1' } }, ['type_widened']],
  ['carrier_type', { value_type: 'json' }, { value_type: 'json', carrier_type: 'array' }, ['carrier_changed']],
  ['item_type', list('integer'), list('long'), ['item_type_widened']],
  ['item_type', list('string'), list('long'), ['item_type_changed']],
  ['required', {}, { required: true }, ['required_added']],
  ['required', { required: true }, {}, ['required_dropped']],
  ['unique', {}, { unique: true }, ['unique_added']],
  ['unique', { unique: true }, {}, ['unique_dropped']],
  ['indexed', {}, { indexed: true }, ['indexed_changed']],
  ['indexed', { indexed: true }, {}, ['indexed_changed']],
  ['sensitive', {}, { sensitive: true }, ['sensitive_changed']],
  ['status', {}, { status: 'deprecated' }, ['property_deprecated']],
  ['status', { status: 'deprecated' }, {}, ['property_restored']],
  ['enum', {}, { enum: ['a'] }, ['enum_added']],
  ['enum', { enum: ['a'] }, {}, ['enum_dropped']],
  ['enum', { enum: ['a'] }, { enum: ['b', 'a'] }, ['enum_value_added']],
  ['enum', { enum: ['a', 'b'] }, { enum: ['a'] }, ['enum_value_removed']],
  ['enum', { enum: ['a'] }, { enum: ['b'] }, ['enum_value_added', 'enum_value_removed']],
  ['enum', { enum: ['a', 'b'] }, { enum: ['b', 'a'] }, []],
  ['constraints', bound({ min: 1 }), bound({ min: 0 }), ['constraint_loosened']],
  ['constraints', bound({ min: 1 }), bound({ min: 2 }), ['constraint_tightened']],
  ['constraints', bound({ min: 1 }), NUMBER, ['constraint_loosened']],
  ['constraints', NUMBER, bound({ max: 1 }), ['constraint_tightened']],
  ['constraints', bound({ max: 9 }), bound({ max: 10 }), ['constraint_loosened']],
  ['constraints', bound({ max: 10 }), bound({ max: 9 }), ['constraint_tightened']],
  ['constraints', text({ max_length: 9 }), text({ max_length: 10 }), ['constraint_loosened']],
  ['constraints', text({ max_length: 10 }), text({ max_length: 9 }), ['constraint_tightened']],
  ['constraints', text({ pattern: 'a' }), {}, ['constraint_loosened']],
  ['constraints', text({ pattern: 'a' }), text({ pattern: '.' }), ['constraint_tightened']],
  ['constraints', {}, text({ pattern: 'a' }), ['constraint_tightened']],
  ['constraints', decimal(9, 2), decimal(10, 2), ['constraint_loosened']],
  ['constraints', decimal(9, 2), decimal(11, 4), ['constraint_loosened', 'constraint_loosened']],
  ['constraints', decimal(9, 2), decimal(9, 3), ['constraint_tightened']],
  ['constraints', decimal(9, 2), decimal(8, 2), ['constraint_tightened']],
  ['constraints', decimal(9, 2), decimal(10, 1), ['constraint_tightened', 'constraint_tightened']],
  [
    'constraints',
    { value_type: 'long', constraints: { max: '9007199254740992' } },
    { value_type: 'long', constraints: { max: '9007199254740993' } },
    ['constraint_loosened'],
  ],
  ['name', {}, { name: 'Price' }, []],
  ['description', {}, { description: 'Of one' }, []],
  ['unit', {}, { unit: 'EUR' }, []],
];

const OF_RELATIONSHIPS: readonly Case[] = [
  ['target_type', {}, { target_type: 'Company' }, ['target_changed']],
  ['target_key', {}, { target_key: ['other'] }, ['target_changed']],
  ['cardinality', {}, { cardinality: 'many' }, ['cardinality_changed']],
  ['cardinality', { cardinality: 'many' }, {}, ['cardinality_changed']],
  ['required', {}, { required: true }, ['required_added']],
  ['required', { required: true }, {}, ['required_dropped']],
  ['inverse_code', {}, { inverse_code: 'owns' }, ['inverse_added']],
  ['inverse_code', { inverse_code: 'owns' }, {}, ['inverse_changed']],
  ['inverse_code', { inverse_code: 'owns' }, { inverse_code: 'has' }, ['inverse_changed']],
  ['on_missing_target', {}, { on_missing_target: 'reject' }, ['missing_target_rejected']],
  ['on_missing_target', { on_missing_target: 'reject' }, {}, ['missing_target_allowed']],
  ['name', {}, { name: 'Owner' }, []],
  ['description', {}, { description: 'Of the vehicle' }, []],
];

const two = (properties: object[], more: object = {}) => whole({ properties: [ID, ...properties], ...more });
const P = { code: 'p', value_type: 'string' };
const Q = { code: 'q', value_type: 'string' };

/** What a document changes beyond the members of one property or relationship. */
const OF_DOCUMENTS: readonly [what: string, before: object, after: object, changes: ChangeName[], more?: object][] = [
  ['a property', two([]), two([P]), ['property_added']],
  ['a required property', two([]), two([{ ...P, required: true }]), ['required_property_added']],
  ['no property', two([P]), two([]), ['property_removed']],
  ['no deprecated property', two([{ ...P, status: 'deprecated' }]), two([]), ['deprecated_property_removed']],
  ['another code', two([P]), two([Q]), ['property_removed', 'property_added']],
  ['another code that is said', two([P]), two([Q]), ['property_renamed'], { renamed: new Map([['q', 'p']]) }],
  ['a code that was another', two([P]), two([P, Q]), ['property_added'], { renamed: new Map([['q', 'p']]) }],
  ['another order', two([P, Q]), two([Q, P]), []],
  [
    'another key',
    two([{ ...P, required: true }]),
    two([{ ...P, required: true }], { primary_key: ['p'] }),
    ['primary_key_changed'],
  ],
  ['another title', two([P]), two([P], { title_property: 'p' }), ['title_changed']],
  ['a relationship', two([]), two([], { relationships: [LINK] }), ['relationship_added']],
  [
    'a required one',
    two([]),
    two([], { relationships: [{ ...LINK, required: true }] }),
    ['required_relationship_added'],
  ],
  ['no relationship', two([], { relationships: [LINK] }), two([]), ['relationship_removed']],
  ...([P, { ...P, status: 'deprecated' }].map((one) => [
    'no property that is mapped',
    two([one]),
    two([]),
    ['mapped_property_removed'],
    { mapped: new Set(['p']) },
  ]) as [string, object, object, ChangeName[], object][]),
];

const namesOf = (before: object, after: object, more: object = {}) => {
  const found = compareVersions(before as never, after as never, more);
  for (const { change, breaking } of found) t.equal(breaking, CHANGES[change as ChangeName], change);
  return found;
};

t.test('each member of properties and relationships → its change, with pointer and verdict', async (t) => {
  const seen = new Set<string>();
  const compared = (at: string, make: (facts: never) => object, cases: readonly Case[]) => {
    for (const [member, before, after, changes] of cases) {
      const found = namesOf(make(before as never), make(after as never));
      const what = `${member}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
      t.strictSame(
        found.map(({ change }) => change),
        changes,
        what,
      );
      for (const { change, pointer } of found) {
        seen.add(change);
        t.match(pointer, `${at}/${member}`, what);
      }
    }
  };
  compared('/properties/p', withProperty, OF_PROPERTIES);
  compared('/relationships/owner', withLink, OF_RELATIONSHIPS);
  const tried = (cases: readonly Case[]) => [...new Set(['code', ...cases.map(([member]) => member)])].sort();
  t.strictSame(tried(OF_PROPERTIES), Object.keys(Property.properties).sort(), 'a new member needs a case');
  t.strictSame(tried(OF_RELATIONSHIPS), Object.keys(Relationship.properties).sort(), 'a new member needs a case');
  for (const [what, before, after, changes, more] of OF_DOCUMENTS) {
    const found = namesOf(before, after, more);
    t.strictSame(
      found.map(({ change }) => change),
      changes,
      what,
    );
    for (const { change } of found) seen.add(change);
    t.equal(verdictOf(found), changes.some((name) => CHANGES[name]) ? 'breaking' : 'compatible', what);
  }
  t.strictSame(Object.keys(VersionDocument.properties).sort(), [
    'primary_key',
    'properties',
    'relationships',
    'title_property',
  ]);
  t.strictSame([...seen].sort(), Object.keys(CHANGES).sort(), 'each change of the table is found somewhere');
});

t.test('every other pair of types breaks, whatever their carriers are', async (t) => {
  const made = (type: PropertyDocument['value_type']) =>
    withProperty({
      value_type: type,
      carrier_type: CARRIERS[type][0],
      ...(type === 'list' ? { item_type: 'string' } : {}),
    });
  for (const from of VALUE_TYPES)
    for (const to of VALUE_TYPES.filter((type) => type !== from)) {
      const isWider = from === 'integer' && to === 'long';
      const [change] = compareVersions(made(from), made(to));
      t.match(change, { pointer: '/properties/p/value_type', breaking: !isWider }, `${from} → ${to}`);
    }
});

t.test('a fingerprint follows what a version says: no label, no order, every other member', async (t) => {
  const same = (a: object, b: object) => typeFingerprint(a as never) === typeFingerprint(b as never);
  for (const [make, cases] of [
    [withProperty, OF_PROPERTIES],
    [withLink, OF_RELATIONSHIPS],
  ] as const)
    for (const [member, before, after, changes] of cases)
      t.equal(same(make(before as never), make(after as never)), changes.length === 0, member);
  for (const [what, before, after, changes] of OF_DOCUMENTS) t.equal(same(before, after), changes.length === 0, what);
  const document = withProperty({ name: 'Price', unit: 'EUR' });
  t.strictSame(labelled(withProperty({}), labelsOf(document)), document);
  t.match(typeFingerprint(document), /^v1:[0-9a-f]{64}$/);
});
