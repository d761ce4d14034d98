import { permission, platformPermission } from '@weir/kernel/contract';

/** Reading the catalogue, which is the same for every tenant. */
export const readPatterns = permission('transform-patterns:read', 'viewer');
/** Asking the readable datasets with the statement of a pattern. */
export const tryPatterns = permission('transform-patterns:preview', 'viewer', { reads: true });
export const syncPatterns = platformPermission('transform-patterns:sync', { capability: 'transform-patterns:sync' });
/** Making transforms, as `transforms:write` does. */
export const applySqlTransforms = permission('sql-transforms:apply', 'pipeline_editor', {
  capability: 'transform:write',
});
