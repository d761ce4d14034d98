import { permission, servicePermission } from '@weir/kernel/contract';

export const readRuns = permission('runs:read', 'viewer');
export const cancelRuns = permission('runs:write', 'pipeline_editor', { capability: 'workflow:write' });
/** For the program that carries a run out. */
export const reportRuns = servicePermission('runs:report', 'run:callback');
