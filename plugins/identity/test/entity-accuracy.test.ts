import t from 'tap';
import { sample } from '../../../test/lane.ts';
import { peopleDocument, sampleDatabase } from './entity-kit.ts';
import { febrl, judge } from './febrl.ts';

const LEAST_F1 = 0.99;

/** 5,000 rows within one file, and 10,000 rows of two files. */
const SETS = [['dataset3'], ['dataset4a', 'dataset4b']];

t.test('the policy of the how-to finds the people of FEBRL', async (t) => {
  const document = await peopleDocument();
  const { resolved } = await sampleDatabase(t);
  for (const files of sample('properties', SETS, 1)) {
    const rows = await febrl(...files);
    const { clusters } = await resolved(document, rows);
    const { precision, recall, f1 } = judge(rows, clusters);
    t.equal(precision, 1, `${files}: no strangers are joined`);
    t.ok(f1 >= LEAST_F1, `${files}: ${rows.length} rows, precision ${precision}, recall ${recall}, F1 ${f1}`);
  }
});
