import t from 'tap';
import { kernelProblems } from '../src/contract/problems.ts';
import { temporalWorkflows } from '../src/workflows/temporal-workflows.ts';

t.test('an engine that is not there is 503 dependency_unavailable', async (t) => {
  const workflows = temporalWorkflows({ address: '127.0.0.1:1', namespace: 'default' });
  await t.rejects(workflows.describe('x'), kernelProblems.dependencyUnavailable());
});
