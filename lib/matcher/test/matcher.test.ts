import fc from 'fast-check';
import t from 'tap';
import { type MatchColumn, matchColumns } from '../src/index.ts';

const RUNS = { numRuns: 100 };
const words = fc.constantFrom(
  'id',
  'customer',
  'kunde',
  'birth',
  'date',
  'Temp',
  'NO2',
  'größe',
  '日付',
  '__proto__',
  '',
  '💧',
  'aB',
);
const names = fc.oneof(
  fc.array(words, { maxLength: 4 }).map((parts) => parts.join('_')),
  fc.string({ unit: 'binary', maxLength: 300 }),
);
const values = fc.array(fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.constant({ a: 1 })), {
  maxLength: 8,
});
const columns: fc.Arbitrary<MatchColumn[]> = fc.array(
  fc.record({ name: names, type: fc.constantFrom('string', 'long', 'timestamp', 'constructor'), values }),
  { maxLength: 6 },
);
const ALL = { topK: 100 };

t.test('a pair of columns has one score, whichever side is the source', async () => {
  const scores = (from: MatchColumn[], to: MatchColumn[], isTurned: boolean) =>
    matchColumns(from, to, ALL)
      .flatMap(({ alternatives }, at) =>
        alternatives.map(({ index, score }) => `${isTurned ? [index, at] : [at, index]} ${score}`),
      )
      .sort();
  fc.assert(
    fc.property(columns, columns, (a, b) => t.strictSame(scores(a, b, false), scores(b, a, true))),
    RUNS,
  );
});

t.test(
  'names and values of any content → the same answer twice, scores within bounds, one answer a column',
  async () => {
    fc.assert(
      fc.property(columns, columns, (a, b) => {
        const found = matchColumns(a, b, ALL);
        t.strictSame(found, matchColumns(a, b, ALL));
        t.strictSame(
          found.map(({ source }) => source),
          a.map(({ name }) => name),
        );
        for (const { score, reasons, index, target } of found.flatMap(({ alternatives }) => alternatives)) {
          const { name, type, values: said } = reasons;
          for (const figure of [score, name, type, said ?? 0]) t.ok(figure >= 0 && figure <= 1, `${figure}`);
          t.equal(b[index]?.name, target);
        }
      }),
      RUNS,
    );
  },
);

t.test('columns of the same names → each is surely itself', async () => {
  const list = ['customer_id', 'given_name', 'family_name', 'birth_date', 'email'].map((name) => ({
    name,
    type: 'string',
  }));
  for (const { source, alternatives } of matchColumns(list, list)) {
    t.match(alternatives[0], { target: source, score: 1, confidence: 'sure' });
  }
});

t.test('abbreviated, translated and compound names, forms and shared values → the column that is meant', async () => {
  const targets = [
    { name: 'birth_date', type: 'date' },
    { name: 'quantity', type: 'long' },
    { name: 'invoice_number', type: 'string' },
    { name: 'email', type: 'string' },
    { name: 'wasteKind', type: 'string', values: ['organic', 'glass', 'metal'] },
  ];
  const sources = [
    { name: 'dob', type: 'date' },
    { name: 'qty', type: 'integer' },
    { name: 'Rechnungsnummer', type: 'string' },
    { name: 'c4', type: 'string', values: ['anna@x.example', 'öz@y.example'] },
    { name: 'c5', type: 'string', values: ['glass', 'metal'] },
  ];
  const found = matchColumns(sources, targets).map(({ alternatives }) => alternatives[0]);
  t.strictSame(
    found.map((one) => one?.target),
    targets.map(({ name }) => name),
  );
  t.strictSame(
    found.slice(3).map((one) => one?.confidence),
    ['review', 'review'],
  );
});

t.test('nothing to compare → no alternatives', async () => {
  t.strictSame(matchColumns([], [{ name: 'a' }]), []);
  t.strictSame(matchColumns([{ name: 'a' }], []), [{ source: 'a', alternatives: [] }]);
});
