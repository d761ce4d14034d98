import type { RunKind } from '@weir/kernel';

/** The worker role that carries transforms out. */
export const TRANSFORM_ROLE = 'transform';

/** The kind of a run that makes one table by one transform. */
export const TRANSFORM_KIND = 'transform';

/** The kind of the whole that people start, of one transform or several: its id is the orchestrator run of its parts. */
export const MATERIALIZATION_KIND = 'materialization';

/** A transform has one open run at most; it is carried out by the workflow of its whole, and ends with it. */
export const runKinds: RunKind[] = [
  { kind: TRANSFORM_KIND, exclusive: true },
  {
    kind: MATERIALIZATION_KIND,
    workflowType: 'GroupWorkflow',
    role: TRANSFORM_ROLE,
    exclusive: false,
  },
];
