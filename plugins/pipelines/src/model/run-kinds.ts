import type { RunKind } from '@weir/kernel';
import { PIPELINE, PIPELINE_RUN, PIPELINE_SANDBOX } from '../contract.ts';

/** Both are groups of transforms, carried out by the workers of these; a pipeline has one open run, rehearsals included. */
export const runKinds: RunKind[] = [PIPELINE_RUN, PIPELINE_SANDBOX].map((kind) => ({
  kind,
  workflowType: 'GroupWorkflow',
  role: 'transform',
  exclusive: true,
  exclusiveGroup: PIPELINE,
}));
