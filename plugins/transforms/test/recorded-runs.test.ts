import { join } from 'node:path';
import t from 'tap';
import { testRecordedRuns } from '../../../test/recorded-histories.ts';
import { worker } from '../src/worker.ts';

// A cancelled run is ended from outside: its history has no end of its own.
await testRecordedRuns(t, {
  folder: join(import.meta.dirname, 'fixtures/histories'),
  workflowsPath: worker.workflowsPath,
  ways: {
    MaterializationWorkflow: ['failed-at-once', 'succeeded', 'waited'],
  },
});
