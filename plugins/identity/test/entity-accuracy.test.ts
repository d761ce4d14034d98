import t from 'tap';
import { peopleDocument, sampleDatabase } from './entity-kit.ts';
import { febrl, judge } from './febrl.ts';

const LEAST_F1 = 0.99;

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
