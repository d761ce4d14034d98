import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { DATE_FORMATS, type EntityResolutionDocumentBody, NORMALISE_OPS } from '../src/contract/entity-resolution.ts';
import { normalisedSql } from '../src/entity-resolution/normalise-sql.ts';
import { patternFault } from '../src/entity-resolution/pattern-fault.ts';
import { type Row, sampleDatabase } from './entity-kit.ts';

const RUNS = { numRuns: cases(200) };

const OPS: EntityResolutionDocumentBody['normalise'][number]['ops'] = [
  ...NORMALISE_OPS,
  ...DATE_FORMATS.map((format) => ({ op: 'date' as const, format })),
  { op: 'replace', pattern: '[[:punct:]]+', with: "'" },
];

/** Compares one property by everything that there is, after one operation. */
const documentOf = (op: (typeof OPS)[number] | undefined): EntityResolutionDocumentBody => ({
  entity_type: 'Thing',
  normalise: op === undefined ? [] : [{ property: 'v', ops: [op] }],
  blocking: [
    ['all'],
    ['v'],
    [
      { property: 'v', op: 'prefix', length: 1 },
      { property: 'v', op: 'suffix', length: 2 },
    ],
  ],
  comparisons: [
    {
      property: 'v',
      levels: [
        { op: 'numeric', threshold: 1e15, weight: 1 },
        { op: 'date', threshold: 36_525, weight: 2 },
        { op: 'exact', weight: 3 },
        { op: 'jaro_winkler', threshold: 0.9, weight: 4 },
        { op: 'levenshtein', threshold: 32, weight: 5 },
      ],
      otherwise: -0.1,
    },
  ],
  accept: 0.2,
  review: 0.1,
  canonical_id: { strategy: 'uuid5', namespace: '6ba7b811-9dad-11d1-80b4-00c04fd430c8', keys: ['v'] },
});

const ODD = ['1e308', '-1e308', 'inf', '-inf', 'nan', 'NaN', 'infinity', '-infinity', 'epoch', '290309-12-22 (BC)'];
const MORE_ODD = ['5881580-07-10', '0x1f', '1_000', '٣', '0', '-0', 'true', '9'.repeat(400), '00000000', '99991231'];
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }).map((text) => text.replaceAll(/\0|\p{Cs}/gu, '')),
  fc.constantFrom(...ODD, ...MORE_ODD),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.double().map(String),
);

t.test('no value makes a statement fail', async (t) => {
  const { resolved } = await sampleDatabase(t);
  const odd = [...ODD, ...MORE_ODD].map((v) => ({ v, all: 'x' }));
  for (const op of [undefined, ...OPS]) t.ok(await resolved(documentOf(op), odd), JSON.stringify(op));
  const values = fc.array(fc.option(value, { nil: null, freq: 10 }), { minLength: 2, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(values, fc.constantFrom(undefined, ...OPS), async (list, op) => {
      const rows: Row[] = list.map((v) => ({ v, all: 'x' }));
      const { clusters } = await resolved(documentOf(op), rows);
      return clusters.length === rows.length;
    }),
    RUNS,
  );
});

/** Pieces of patterns, of which some are of other dialects. */
const PIECES = [
  'a',
  '.',
  '\\pL',
  '\\p{Greek}',
  '\\p{Lowercase}',
  '\\d',
  '\\b',
  '[^a-z]',
  '(?i)',
  '(?P<n>a)',
  '(?<n>a)',
  '(?=a)',
];
const MORE_PIECES = [
  'a{2,5}',
  '{3}',
  '*',
  '+?',
  '|',
  '(',
  ')',
  '[',
  ']',
  '^',
  '$',
  '\\1',
  '\\Q',
  '\\E',
  "'",
  '\\x{1F600}',
  '\\C',
];

t.test('a pattern that passes the check is one that the statements can use', async (t) => {
  const { connection } = await sampleDatabase(t);
  const pattern = fc.array(fc.constantFrom(...PIECES, ...MORE_PIECES), { minLength: 1, maxLength: 6 });
  const passed = pattern.map((pieces) => pieces.join('')).filter((text) => patternFault(text) === undefined);
  await fc.assert(
    fc.asyncProperty(passed, async (text) => {
      const sql = normalisedSql('range', [{ op: 'replace', pattern: text, with: "'" }]);
      await connection.run(`SELECT ${sql} FROM range(1)`);
    }),
    { numRuns: 500 },
  );
});

t.test('what operations leave of a value', async (t) => {
  const { resolved } = await sampleDatabase(t);
  const alike: [ops: EntityResolutionDocumentBody['normalise'][number]['ops'], one: string, other: string][] = [
    [['lower'], 'ÉCOLE', 'école'],
    [['strip_accents'], 'école', 'ecole'],
    [['trim'], ' a b\t', 'a b'],
    [['collapse_spaces'], 'a \t b', 'a b'],
    [['letters'], "O'Neill 3", 'ONeill'],
    [['digits'], '+43 (1) 23', '43123'],
    [['letters_and_digits'], 'No. 7/b', 'No7b'],
    [['strip_leading_zeros'], '007', '7'],
    [['sort_words'], 'Lovelace Ada', 'Ada Lovelace'],
    [[{ op: 'date', format: 'DD.MM.YYYY' }], '10.12.1815', '10.12.1815'],
    [[{ op: 'replace', pattern: '(?i)^dr[.]? ', with: '' }], 'Dr. Ada', 'Ada'],
    [['lower', { op: 'replace', pattern: '\\bst\\b', with: 'street' }], 'Main ST', 'main street'],
  ];
  for (const [ops, one, other] of alike) {
    const document = { ...documentOf(undefined), normalise: [{ property: 'v', ops }] };
    const exact = { ...document, comparisons: [{ property: 'v', levels: [{ op: 'exact' as const, weight: 3 }] }] };
    const { pairs } = await resolved(
      exact,
      [one, other].map((v) => ({ v, all: 'x' })),
    );
    t.equal(pairs.length, 1, `${JSON.stringify(ops)} brings ${one} and ${other} together`);
  }
  const { ids } = await resolved(documentOf('digits'), [{ v: 'none', all: 'x' }]);
  t.equal(ids.byCluster.size, 0, 'a text of which nothing is left is missing');
});
