import fc from 'fast-check';
import t, { type Test } from 'tap';
import { cases } from '../../../test/lane.ts';
import type { EntityResolutionDocumentBody } from '../src/contract/entity-resolution.ts';
import { dryRunView } from '../src/entity-resolution/dry-run-view.ts';
import type { Resolution } from '../src/entity-resolution/resolve.ts';
import { connected } from '../src/entity-resolution/union-find.ts';
import { clustersBy, DOCUMENT, type Row, sampleDatabase } from './entity-kit.ts';

/** A case over DuckDB costs about 0.1 CPU-seconds and compares many pairs. */
const RUNS = { numRuns: cases(250) };
const QUICK_RUNS = { numRuns: 1_000 };

const ID_RULES: EntityResolutionDocumentBody['canonical_id'][] = [
  { strategy: 'smallest_key', property: 'key' },
  { strategy: 'source_key', property: 'key' },
  { strategy: 'uuid5', namespace: '6ba7b811-9dad-11d1-80b4-00c04fd430c8', keys: ['name', 'born'] },
];

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 5 });
const name = fc.string({ unit: fc.constantFrom('a', 'b', 'B', ' '), maxLength: 4 });
const born = fc.constantFrom('2000-01-01', '2000-01-02', '2000-01-04', 'no date');
const rowOf = (names: fc.Arbitrary<string>, borns: fc.Arbitrary<string | null>) =>
  fc.record({
    name: optional(names),
    born: borns,
    number: optional(fc.constantFrom('1', '1.4', '2', 'x')),
    key: optional(fc.constantFrom('k1', 'k2', 'k3')),
  });
const strangers = fc.array(rowOf(fc.constantFrom('xxx', 'yyyyyy', 'zzzzzzzzz'), fc.constant(null)), { maxLength: 6 });
/** Rows, another order of their places, rows that match none of them, and which of the two come first. */
const samples = fc.array(rowOf(name, optional(born)), { maxLength: 12 }).chain((list) => {
  const places = list.map((_, at) => at);
  return fc.record({
    list: fc.constant(list),
    order: fc.shuffledSubarray(places, { minLength: list.length }),
    strange: strangers,
    isStrangeFirst: fc.boolean(),
    rule: fc.constantFrom(...ID_RULES),
  });
});

/** One person with several keys, which chance seldom makes: in either order, under each rule. */
const KEYS = ['k2', 'k1', 'k3', 'k3'] as const;
const CONTESTED = KEYS.map((key) => ({ name: 'ab', born: '2000-01-01', number: null, key }));
const EXAMPLES = ID_RULES.map((rule): [typeof samples extends fc.Arbitrary<infer One> ? One : never] => [
  { list: CONTESTED, order: [3, 2, 1, 0], strange: [], isStrangeFirst: false, rule },
]);

/** What a resolution says of each row, by what the row is called. */
function told(found: Resolution, label: (place: number) => string) {
  const ids = [...found.clusters].map((cluster, at) => `${label(at)}: ${found.ids.byCluster.get(cluster) ?? 'none'}`);
  return { clusters: clustersBy(found, label), ids: ids.toSorted(), contested: found.ids.contested };
}

t.test('clusters are the transitive closure of their pairs', async (t) => {
  const pair = fc.record({ left: fc.nat(19), right: fc.nat(19) });
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 30 }), (pairs) => {
      const reached = (from: number): number[] => {
        const seen = new Set([from]);
        for (const at of seen) {
          for (const { left, right } of pairs) {
            if (left === at) seen.add(right);
            if (right === at) seen.add(left);
          }
        }
        return [...seen];
      };
      const expected = Array.from({ length: 20 }, (_, at) => Math.min(...reached(at)));
      return connected(20, pairs).every((root, at) => root === expected[at]);
    }),
    QUICK_RUNS,
  );
  t.pass();
});

t.test('what is found is what the document says, in any order of the rows, and strangers change no id', async (t) => {
  const { resolved } = await sampleDatabase(t);
  await fc.assert(
    fc.asyncProperty(samples, async ({ list, order, strange, isStrangeFirst, rule }) => {
      const document = { ...DOCUMENT, canonical_id: rule };
      const found = await resolved(document, list);
      saysWhatTheDocumentSays(t, list, found);

      const other = await resolved(
        document,
        order.map((at) => list[at]!),
      );
      const view = (one: Resolution) =>
        dryRunView({ datasetId: 'd', snapshotId: null, document, found: one, inForce: undefined });
      t.strictSame(
        told(other, (place) => String(order[place])),
        told(found, String),
      );
      t.strictSame(view(other), view(found));

      const both = await resolved(document, isStrangeFirst ? [...strange, ...list] : [...list, ...strange]);
      t.strictSame(idsFrom(both, isStrangeFirst ? strange.length : 0, list.length), idsFrom(found, 0, list.length));
    }),
    { ...RUNS, examples: EXAMPLES },
  );
});

t.test('of several keys of one entity the smallest is its id, or the one of most records', async (t) => {
  const { resolved } = await sampleDatabase(t);
  const idsUnder = async (strategy: 'smallest_key' | 'source_key') =>
    idsFrom(await resolved({ ...DOCUMENT, canonical_id: { strategy, property: 'key' } }, CONTESTED), 0, KEYS.length);
  t.strictSame(
    await idsUnder('smallest_key'),
    KEYS.map(() => 'k1'),
  );
  t.strictSame(
    await idsUnder('source_key'),
    KEYS.map(() => 'k3'),
  );
});

/** The canonical id of each of so many rows from a place on. */
function idsFrom({ clusters, ids }: Resolution, from: number, count: number): (string | undefined)[] {
  return [...clusters.slice(from, from + count)].map((cluster) => ids.byCluster.get(cluster));
}

/** Looks for the pairs of the rows that `DOCUMENT` scores, and for their closure as clusters. */
function saysWhatTheDocumentSays(t: Test, list: readonly Row[], { pairs, clusters }: Resolution): void {
  const expected = list.flatMap((left, at) =>
    list.slice(at + 1).flatMap((right, behind) => {
      const score = expectedScore(left, right);
      return score !== undefined && score >= DOCUMENT.review ? [`${at} ${at + behind + 1} ${score}`] : [];
    }),
  );
  t.strictSame(pairs.map(({ left, right, score }) => `${left} ${right} ${score}`).toSorted(), expected.toSorted());
  const accepted = pairs.filter(({ score }) => score >= DOCUMENT.accept);
  t.strictSame([...clusters], [...connected(list.length, accepted)]);
}

/** The score of a pair that some rule brings together, written out for `DOCUMENT`. */
function expectedScore(left: Row, right: Row): number | undefined {
  const [one, other] = [left, right].map(({ name }) => (name ?? '').toLowerCase().replace(/[^a-z]/g, ''));
  const bornAlike = left.born !== null && left.born === right.born;
  if (!(one !== '' && one === other) && !bornAlike) return undefined;
  let score = 0;
  if (one !== '' && other !== '') {
    const edits = distance(one ?? '', other ?? '');
    score += edits === 0 ? 3 : edits === 1 ? 2 : -1;
  }
  if (left.born && right.born) {
    const days = Math.abs(Date.parse(left.born) - Date.parse(right.born)) / 86_400_000;
    score += days <= 1 ? 2 : -2;
  }
  if (left.number && right.number) score += Math.abs(Number(left.number) - Number(right.number)) <= 0.5 ? 1 : 0;
  return score;
}

function distance(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length;
  const [head, last] = [one.slice(0, -1), other.slice(0, -1)];
  const change = one.at(-1) === other.at(-1) ? 0 : 1;
  return Math.min(distance(head, other) + 1, distance(one, last) + 1, distance(head, last) + change);
}
