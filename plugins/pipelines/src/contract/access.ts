import { permission } from '@weir/kernel/contract';

/** Reading pipelines, their versions and their runs. */
export const readPipelines = permission('pipelines:read', 'viewer');
/** Creating, changing, activating, pausing and deleting pipelines. */
export const writePipelines = permission('pipelines:write', 'pipeline_editor', { capability: 'pipeline:write' });
/** Rehearsing and running pipelines. */
export const runPipelines = permission('pipelines:run', 'pipeline_editor', { capability: 'pipeline:write' });
