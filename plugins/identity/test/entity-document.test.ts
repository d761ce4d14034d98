import t from 'tap';
import { documentFaults } from '../src/entity-resolution/document-faults.ts';
import { documentShape } from '../src/entity-resolution/document-shape.ts';
import { DOCUMENT, peopleDocument } from './entity-kit.ts';

/** The document with some members changed; the faults of its shape, or of its rules, as `pointer code`. */
function faultsOf(changes: object): string[] {
  const document = documentShape()(JSON.parse(JSON.stringify({ ...DOCUMENT, ...changes })));
  const faults = Array.isArray(document) ? document : documentFaults(document);
  return faults.map(({ pointer, code }) => `${pointer} ${code}`);
}

const compare = (...levels: object[]) => ({ comparisons: [{ property: 'name', levels }] });
const replace = (pattern: string) => ({
  normalise: [{ property: 'name', ops: [{ op: 'replace', pattern, with: '' }] }],
});

t.test('a document that can be used has no faults', async (t) => {
  t.strictSame(faultsOf({}), []);
  t.strictSame(faultsOf(await peopleDocument()), []);
  t.strictSame(faultsOf(replace('(?i)^(dr|prof)[.]? ')), []);
});

const SHAPES: [rule: string, changes: object, faults: string[]][] = [
  ['members that are not known', { more: 1 }, [' additionalProperties']],
  ['members that are missing', { blocking: undefined }, ['/blocking required']],
  ['rules without parts', { blocking: [[]] }, ['/blocking/0 minItems']],
  ['more rules than there may be', { blocking: Array.from({ length: 17 }, () => ['name']) }, ['/blocking maxItems']],
  ['operations that are not known', { normalise: [{ property: 'name', ops: ['eval'] }] }, ['/normalise/0/ops/0 anyOf']],
  ['comparisons that are not known', compare({ op: 'soundex', weight: 1 }), ['/comparisons/0/levels/0 anyOf']],
  [
    'a threshold out of bounds, told as a fault of the comparison that was meant',
    compare({ op: 'jaro_winkler', threshold: 1.2, weight: 1 }),
    ['/comparisons/0/levels/0/threshold maximum'],
  ],
  ['a threshold that is missing', compare({ op: 'date', weight: 1 }), ['/comparisons/0/levels/0/threshold required']],
  ['an accept that every pair reaches', { accept: 0 }, ['/accept exclusiveMinimum']],
  [
    'a namespace that is no UUID',
    { canonical_id: { strategy: 'uuid5', namespace: 'x', keys: ['name'] } },
    ['/canonical_id/namespace pattern'],
  ],
  ['control characters in a pattern', replace('a\u0000b'), ['/normalise/0/ops/0/pattern pattern']],
  [
    'references in what is put in',
    { normalise: [{ property: 'name', ops: [{ op: 'replace', pattern: 'a', with: '\\1' }] }] },
    ['/normalise/0/ops/0/with pattern'],
  ],
  [
    'dates of another spelling',
    { normalise: [{ property: 'name', ops: [{ op: 'date', format: '%d' }] }] },
    ['/normalise/0/ops/0/format enum'],
  ],
];

const RULES: [rule: string, changes: object, faults: string[]][] = [
  [
    'a property that is normalised twice',
    { normalise: [1, 2].map(() => ({ property: 'name', ops: ['lower'] })) },
    ['/normalise/1/property repeated'],
  ],
  [
    'a property that nothing reads',
    { normalise: [{ property: 'surname', ops: ['lower'] }] },
    ['/normalise/0/property unused_property'],
  ],
  [
    'a rule that stands there twice',
    {
      blocking: [
        ['name', { property: 'born', op: 'prefix', length: 4 }],
        [{ op: 'prefix', length: 4, property: 'born' }, 'name'],
      ],
    },
    ['/blocking/1 repeated'],
  ],
  [
    'a property that is compared twice',
    { comparisons: [1, 2].map(() => ({ property: 'name', levels: [{ op: 'exact', weight: 9 }] })) },
    ['/comparisons/1/property repeated'],
  ],
  [
    'a level that an earlier one covers',
    compare({ op: 'levenshtein', threshold: 2, weight: 4 }, { op: 'levenshtein', threshold: 1, weight: 3 }),
    ['/comparisons/0/levels/1 level_unreachable'],
  ],
  [
    'equality behind likeness',
    compare({ op: 'jaro_winkler', threshold: 0.9, weight: 4 }, { op: 'exact', weight: 5 }),
    ['/comparisons/0/levels/1 level_unreachable'],
  ],
  ['an accept out of reach', { accept: 6.5 }, ['/accept never_reached']],
  ['a review that is no lower than accept', { review: 3 }, ['/review not_below_accept']],
  ['a pattern that looks ahead', replace('a(?=b)'), ['/normalise/0/ops/0/pattern not_re2']],
  ['a pattern that refers back', replace('(a)\\1'), ['/normalise/0/ops/0/pattern not_re2']],
  ['a pattern that is none', replace('(a'), ['/normalise/0/ops/0/pattern not_re2']],
  [
    'a pattern that unfolds to too much',
    replace('((a{50}){50}){50}'),
    ['/normalise/0/ops/0/pattern pattern_too_large'],
  ],
  [
    'a key that stands there twice',
    { canonical_id: { strategy: 'uuid5', namespace: '6ba7b811-9dad-11d1-80b4-00c04fd430c8', keys: ['name', 'name'] } },
    ['/canonical_id/keys/1 repeated'],
  ],
];

t.test('a document of many faults is refused as soon as one of few', async (t) => {
  const ops = Array.from({ length: 200_000 }, () => 'eval');
  t.strictSame(faultsOf({ normalise: [{ property: 'name', ops }] }), ['/normalise/0/ops maxItems']);
  const few = Array.from({ length: 10 }, () => 'eval');
  t.strictSame(faultsOf({ normalise: [{ property: 'name', ops: few }] }), ['/normalise/0/ops/0 anyOf']);
});

for (const [rule, changes, faults] of [...SHAPES, ...RULES]) {
  t.test(`a document may not have ${rule}`, async (t) => {
    t.strictSame(faultsOf(changes), faults);
  });
}
