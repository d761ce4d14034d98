import { permission } from '@weir/kernel/contract';

/** Reading transforms, their artifacts and their runs. */
export const readTransforms = permission('transforms:read', 'viewer');
/** Creating, changing, hydrating and deleting transforms. */
export const writeTransforms = permission('transforms:write', 'pipeline_editor', { capability: 'transform:write' });
/** Asking the readable datasets with SQL. */
export const runQueries = permission('queries:run', 'viewer', { reads: true });
/** Starting and cancelling runs of transforms. */
export const runTransforms = permission('transforms:run', 'pipeline_editor', { capability: 'transform:write' });
