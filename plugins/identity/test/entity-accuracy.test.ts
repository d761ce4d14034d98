import t from 'tap';
import { peopleDocument, type Row, sampleDatabase } from './entity-kit.ts';
import { febrl, personOf } from './febrl.ts';

/** Installing the sets, on a machine that has never done so. */
const HANG_LIMIT_MS = 230_000;
const LEAST_F1 = 0.99;

t.setTimeout(HANG_LIMIT_MS);

/** Pairs of rows within each group. */
function pairsIn<T>(groups: Iterable<readonly T[]>): number {
  return [...groups].reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0);
}

/** Precision and recall of clusters over pairs of rows, and their harmonic mean (F1). */
function judge(rows: readonly Row[], clusters: Int32Array): { precision: number; recall: number; f1: number } {
  const found = Map.groupBy(rows.keys(), (at) => clusters[at]);
  const right = Map.groupBy(rows.keys(), (at) => `${clusters[at]} ${personOf(rows[at]!)}`);
  const truth = Map.groupBy(rows, personOf);
  const precision = pairsIn(right.values()) / pairsIn(found.values());
  const recall = pairsIn(right.values()) / pairsIn(truth.values());
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) };
}

t.test('the policy of the how-to finds the people of FEBRL 3 and FEBRL 4', async (t) => {
  const document = await peopleDocument();
  const { resolved } = await sampleDatabase(t);
  for (const files of [['dataset3'], ['dataset4a', 'dataset4b']]) {
    const rows = await febrl(...files);
    const { clusters } = await resolved(document, rows);
    const { precision, recall, f1 } = judge(rows, clusters);
    t.equal(precision, 1, `${files}: no strangers are joined`);
    t.ok(f1 >= LEAST_F1, `${files}: ${rows.length} rows, precision ${precision}, recall ${recall}, F1 ${f1}`);
  }
});
