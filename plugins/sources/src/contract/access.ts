import { permission } from '@weir/kernel/contract';

/** Reading sources, streams, patterns and runs. */
export const readSources = permission('sources:read', 'viewer');
/** Creating and changing sources and streams. */
export const writeSources = permission('sources:write', 'pipeline_editor', { capability: 'source:write' });
/** Starting discoveries and syncs. */
export const runSources = permission('sources:run', 'pipeline_editor', { capability: 'source:write' });
