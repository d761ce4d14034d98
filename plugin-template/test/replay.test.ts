import { Worker } from '@temporalio/worker';
import t from 'tap';
import { worker } from '../src/worker.ts';
import published from './histories/publish-note.json' with { type: 'json' };

t.test('the workflow still goes the way of every run that was recorded', async (t) => {
  await t.resolves(Worker.runReplayHistory({ workflowsPath: worker.workflowsPath }, published));
});
