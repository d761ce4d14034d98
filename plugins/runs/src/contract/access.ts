import { permission, servicePermission } from '@weir/kernel/contract';

export const readRuns = permission('runs:read', 'viewer', { capability: 'run:read' });
export const cancelRuns = permission('runs:write', 'pipeline_editor', { capability: 'run:write' });
/** For the program that carries a run out. */
export const reportRuns = servicePermission('runs:report', 'run:write');
