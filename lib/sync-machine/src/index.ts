export { commitMachine, MAX_COMMIT_TRIES } from './commit/commit-machine.ts';
export type {
  CommitEffect,
  CommitEvent,
  CommitInput,
  CommitResult,
  CommitState,
  CommitTable,
  Draft,
  FoundTable,
} from './commit/commit-types.ts';
export { type OpenCommit, type Recovery, recoveryOf } from './commit/recovery.ts';
export { type Driver, drive } from './drive.ts';
export { ALL_FENCES, type Fences } from './fences.ts';
export type { Machine, Step } from './machine.ts';
export { type Draw, draw } from './random.ts';
export { MAX_MERGES } from './sync/commit-task.ts';
export { streamsOf, syncMachine } from './sync/sync-machine.ts';
export type {
  Batch,
  CommitBatch,
  Place,
  PlannedStream,
  RuleBroken,
  SchemaChangePolicy,
  Segment,
  StreamFailure,
  StreamState,
  SyncEffect,
  SyncEvent,
  SyncState,
  SyncTypes,
} from './sync/sync-types.ts';
