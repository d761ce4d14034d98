import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { testRecordedRuns } from '../../../test/recorded-histories.ts';
import { worker } from '../src/worker-v1.ts';

/** Of the one file of the workflows of contract 1. */
const FROZEN = 'a289683bff6275c32807f6eead63ff981fa556fcc44bf7d31a06d641aa1cfc18';

t.test('contract 1 is as it was when its runs were recorded', async (t) => {
  const text = await readFile(worker.workflowsPath);
  t.equal(createHash('sha256').update(text).digest('hex'), FROZEN, 'another one is another type in another file');
});

await testRecordedRuns(t, {
  folder: join(import.meta.dirname, 'fixtures/histories-v1'),
  workflowsPath: worker.workflowsPath,
  ways: {
    OntologySyncWorkflow: ['cancelled', 'failed-at-once', 'skipped', 'succeeded'],
    OntologyReconcileWorkflow: ['failed-at-once', 'succeeded'],
    OntologyProbeWorkflow: ['succeeded'],
  },
});
