import { join } from 'node:path';
import t from 'tap';
import { testRecordedRuns } from '../../../test/recorded-histories.ts';
import { worker } from '../src/worker.ts';

await testRecordedRuns(t, {
  folder: join(import.meta.dirname, 'fixtures/histories'),
  workflowsPath: worker.workflowsPath,
  ways: {
    OntologySyncWorkflowV2: ['cancelled', 'failed-at-once', 'skipped', 'succeeded'],
    OntologyProbeWorkflowV2: ['succeeded'],
  },
});
