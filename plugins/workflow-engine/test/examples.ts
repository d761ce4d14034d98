import { cancelWorkflow, startWorkflow, waitForWorkflow } from '@weir/plugin-workflow-engine/contract';
import { ABSENT, type Examples, example } from '../../../test/examples.ts';

export const examples: Examples = {
  absent: { workflow_id: (own) => own.replace(/[^:]+$/, ABSENT) },
  calls: [
    example(waitForWorkflow, { body: { timeout_seconds: 1 } }),
    { of: startWorkflow.transform, unreached: { why: 'its body names a transform' } },
  ],
  seed: async ({ running }) => ({
    calls: [{ of: cancelWorkflow, params: { workflow_id: (await running()).workflow_id } }],
  }),
};
