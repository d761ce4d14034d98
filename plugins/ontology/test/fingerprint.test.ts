import { readFileSync } from 'node:fs';
import t from 'tap';
import { BackingDocument, BackingSpec, type GivenBackingBody } from '../src/contract/backing/document.ts';
import { type EffectiveParts, specFingerprint, UnhashableSpec } from '../src/model/sync/fingerprint.ts';
import { foldSql } from '../src/model/sync/fold-sql.ts';
import { BACKING, fingerprintOf, fingerprintOfDocument, PARTS } from './fingerprint-kit.ts';

type Given = Partial<GivenBackingBody>;
const FORM = /^v2:[0-9a-f]{64}$/;
const owner = { relationship: 'owner', columns: ['owner_id'], target_type: 'Person', target_key: ['id'] };
const parts = {
  relationship: 'parts',
  columns: ['part_ids'],
  target_type: 'Part',
  target_key: ['id'],
  many: 'split' as const,
};
const [vin, country, label] = BACKING.property_mappings as [never, never, never];
const filter = (row_filter: string): Given => ({ row_filter });
const expression = (text: string): Given => ({
  property_mappings: [vin, country, { expression: text, property: 'label' }],
});

/** Members of the document that a sync leaves out. */
const LEFT_OUT: readonly string[] = ['name', 'max_rejected_rows', 'sync'];

/** Each member of the document with another value. */
const CHANGED: Readonly<Record<keyof typeof BackingDocument.properties, Given>> = {
  name: { name: 'Müller & Söhne' },
  dataset_id: { dataset_id: 'silver.acme.cars' },
  entity_type_code: { entity_type_code: 'Car' },
  entity_type_version: { entity_type_version: 4 },
  property_mappings: { property_mappings: [vin, country] },
  primary_key_mapping: {
    primary_key_mapping: [
      { column: 'land', property: 'country' },
      { column: 'vin', property: 'vin' },
    ],
  },
  relationship_mappings: { relationship_mappings: [owner] },
  row_filter: { row_filter: null },
  delete_policy: { delete_policy: 'mirror' },
  duplicate_keys: { duplicate_keys: 'fail' },
  null_keys: { null_keys: 'fail' },
  identity_policy: { identity_policy: null },
  merge_mode: { merge_mode: 'replace' },
  max_rejected_rows: { max_rejected_rows: 6 },
  sync: { sync: 'on_snapshot' },
};

t.test(
  'each member of the document changed alone → another fingerprint, or it is on the list of what is left out',
  async (t) => {
    const base = fingerprintOfDocument(BACKING);
    const seen = new Set([base]);
    for (const member of Object.keys(BackingDocument.properties)) {
      const changed = fingerprintOfDocument({ ...BACKING, ...CHANGED[member as keyof typeof CHANGED] });
      t.match(changed, FORM);
      if (LEFT_OUT.includes(member)) t.equal(changed, base, member);
      else t.notOk(seen.has(changed), member);
      seen.add(changed);
    }
    const semantic = Object.keys(BackingSpec.properties);
    t.strictSame([...semantic, ...LEFT_OUT].toSorted(), Object.keys(BackingDocument.properties).toSorted());
  },
);

t.test('each member of a mapping changed alone → another fingerprint', async (t) => {
  const keys = BACKING.primary_key_mapping;
  const changed: Given[] = [
    { property_mappings: [{ column: 'vin2', property: 'vin' }, country, label] },
    { property_mappings: [{ column: 'vin', property: 'vin2' }, country, label] },
    { property_mappings: [vin, country, { column: 'label', property: 'label' }] },
    expression('lower(label)'),
    { primary_key_mapping: [{ column: 'x', property: 'country' }, keys[1] as never] },
    { primary_key_mapping: [{ column: 'country', property: 'x' }, keys[1] as never] },
    { relationship_mappings: [{ ...owner, relationship: 'holder' }, parts] },
    { relationship_mappings: [{ ...owner, columns: ['holder_id'] }, parts] },
    { relationship_mappings: [{ ...owner, target_type: 'Human' }, parts] },
    { relationship_mappings: [{ ...owner, target_key: ['code'] }, parts] },
    { relationship_mappings: [owner, { ...parts, many: 'list' }] },
    { delete_policy: { column: 'a' } },
    { delete_policy: { column: 'b' } },
    { duplicate_keys: { last_by: 'b' } },
    { identity_policy: { policy_id: 'ip_other', version: 2 } },
    { identity_policy: { policy_id: BACKING.identity_policy?.policy_id ?? '', version: 3 } },
  ];
  const found = changed.map((given) => fingerprintOf(given));
  t.equal(new Set([fingerprintOf(), ...found]).size, changed.length + 1);
});

t.test('each part beside the document changed alone → another fingerprint', async (t) => {
  const { store, type } = PARTS;
  const changed: Partial<EffectiveParts>[] = [
    { tenantId: 'other' },
    { store: { ...store, adapter: 'http' } },
    { store: { ...store, ontologyTenant: 'other' } },
    { store: { ...store, instance: 'other' } },
    { tableUuid: null },
    { tableUuid: 'other' },
    { type: { ...type, fingerprint: 'v1:ff' } },
    { type: { ...type, primaryKey: ['vin', 'country'] } },
    { identityDigest: 'sha256:bb' },
  ];
  const found = changed.map((one) => fingerprintOf({}, one));
  t.equal(new Set([fingerprintOf(), ...found]).size, changed.length + 1);
});

const reordered = <T>(list: readonly T[] | undefined): T[] => [...(list ?? [])].reverse();

/** What means the same: 30 pairs. */
const EQUAL: readonly [left: Given, right: Given][] = [
  [{}, { property_mappings: reordered(BACKING.property_mappings) }],
  [{}, { primary_key_mapping: reordered(BACKING.primary_key_mapping) }],
  [{}, { relationship_mappings: reordered(BACKING.relationship_mappings) }],
  [{ relationship_mappings: [owner] }, { relationship_mappings: [{ ...owner, many: null }] }],
  [{ relationship_mappings: [] }, { relationship_mappings: undefined as never }],
  [{ row_filter: null }, { row_filter: undefined as never }],
  [{ delete_policy: 'mirror' }, { delete_policy: undefined as never }],
  [{ duplicate_keys: 'fail' }, { duplicate_keys: undefined as never }],
  [{ null_keys: 'fail' }, { null_keys: undefined as never }],
  [{ identity_policy: null }, { identity_policy: undefined as never }],
  [{ merge_mode: 'replace' }, { merge_mode: undefined as never }],
  [{}, { name: 'other' }],
  [{}, { max_rejected_rows: 1 }],
  [{}, { sync: 'on_snapshot' }],
  [{}, { property_mappings: [vin, country, { property: 'label', expression: 'upper(label)' }] }],
  [filter('a = 1'), filter('a=1')],
  [filter('a = 1'), filter('  a\n=\t1 ')],
  [filter('a = 1'), filter('a = 1 -- one')],
  [filter('a = 1'), filter('a /* the first */ = 1')],
  [filter('a = 1'), filter('a /* a /* nested */ comment */ = 1')],
  [filter('a = 1'), filter('/**/a/**/=/**/1/**/')],
  [filter("a = ' x '"), filter("a  =  ' x '")],
  [filter('"a b" = 1'), filter('"a b"=1')],
  [filter('a = 1.5e-3'), filter('a=1.5e-3')],
  [filter('a - 1 = 0'), filter('a-1=0')],
  [filter('$$ a  b $$ = c'), filter('$$ a  b $$=c')],
  [expression('upper(label)'), expression('upper ( label )')],
  [expression('a || b'), expression('a||b')],
  [expression('x::int'), expression('x :: int')],
  [expression("concat(a, '--', b)"), expression("concat(a,'--',b) -- end")],
];

/** What means something else, however alike it looks: 30 pairs. */
const UNEQUAL: readonly [left: Given, right: Given][] = [
  [filter("a = ' x '"), filter("a = 'x'")],
  [filter("a = 'x  y'"), filter("a = 'x y'")],
  [filter("a = '--'"), filter("a = ''")],
  [filter("a = '/* */'"), filter("a = ''")],
  [filter("a = 'it''s'"), filter("a = 'its'")],
  [filter("a = 'A'"), filter("a = 'a'")],
  [filter("a = e'\\n'"), filter("a = e '\\n'")],
  [filter("a = e'\\' -- b'"), filter("a = e'\\' -- c'")],
  [filter('a < - 1'), filter('a <- 1')],
  [filter('"a b" = 1'), filter('"a  b" = 1')],
  [filter('"a""b" = 1'), filter('"a" "b" = 1')],
  [filter('$$a b$$ = c'), filter('$$a  b$$ = c')],
  [filter('$q$a $$ b$q$ = c'), filter('$q$a $$  b$q$ = c')],
  [filter('a = 1'), filter('a = 2')],
  [filter('a = 1'), filter('a = 1.0')],
  [filter('a = 12'), filter('a = 1 2')],
  [filter('a = 1'), filter('a <> 1')],
  [filter('a - - 1 = 0'), filter('a = 0')],
  [filter('a -- = 1\n> 2'), filter('a = 1 > 2')],
  [filter('true'), { row_filter: null }],
  [filter("a = 'null'"), { row_filter: null }],
  [expression('upper(label)'), expression('upper("label ")')],
  [expression('a'), { property_mappings: [vin, country, { column: 'a', property: 'label' }] }],
  [expression('a, b'), expression('ab')],
  [
    { relationship_mappings: [{ ...owner, columns: ['a', 'b'], target_key: ['x', 'y'] }] },
    { relationship_mappings: [{ ...owner, columns: ['b', 'a'], target_key: ['x', 'y'] }] },
  ],
  [{ relationship_mappings: [{ ...owner, many: 'split' }] }, { relationship_mappings: [owner] }],
  [{ entity_type_code: 'Vehicle' }, { entity_type_code: 'vehicle' }],
  [{ dataset_id: 'silver.acme.a' }, { dataset_id: 'silver.acme.A' }],
  [{ delete_policy: { column: 'never' } }, { delete_policy: 'never' }],
  [{ duplicate_keys: { last_by: 'fail' } }, { duplicate_keys: 'fail' }],
];

t.test('30 pairs that mean the same have one fingerprint, and 30 that do not have two', async (t) => {
  t.strictSame([EQUAL.length, UNEQUAL.length], [30, 30]);
  for (const [left, right] of EQUAL) t.equal(fingerprintOf(left), fingerprintOf(right), JSON.stringify(right));
  for (const [left, right] of UNEQUAL) t.not(fingerprintOf(left), fingerprintOf(right), JSON.stringify([left, right]));
});

t.test('20 specifications have the fingerprints that are kept', async (t) => {
  const file = new URL('fixtures/fingerprints.json', import.meta.url);
  const golden = JSON.parse(readFileSync(file, 'utf8')) as { given: Given; fingerprint: string }[];
  t.equal(golden.length, 20);
  t.equal(new Set(golden.map(({ fingerprint }) => fingerprint)).size, 20);
  for (const { given, fingerprint } of golden) t.equal(fingerprintOf(given), fingerprint, JSON.stringify(given));
});

t.test('a number that is not finite and half of a surrogate pair are refused before they are hashed', async (t) => {
  for (const bad of [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -Number.POSITIVE_INFINITY,
    '\ud800',
    'a\udfff',
    undefined,
    1n,
  ])
    for (const spec of [bad, [bad], { a: { b: [bad] } }]) t.throws(() => specFingerprint(spec), UnhashableSpec);
  t.throws(() => specFingerprint({ '\ud800': 1 }), UnhashableSpec);
  t.throws(() => fingerprintOf(filter("a = '\udc00'")), UnhashableSpec);
  t.match(specFingerprint({ a: '😀', b: null, c: -0 }), FORM);
});

t.test('the tokens of a text are what is left of it without spaces and comments', async (t) => {
  t.strictSame(foldSql("a>=1.5e+3 and E'\\' -- b' <>b--c"), ['a', '>=', '1.5e+3', 'and', "E'\\' -- b'", '<>', 'b']);
  t.strictSame(foldSql(''), []);
  t.strictSame(foldSql('/* never ends'), []);
  t.strictSame(foldSql("'never ends"), ["'", 'never', 'ends']);
});
