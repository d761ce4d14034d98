import { permission } from '@weir/kernel/contract';

/** Planning documents, and exporting what is there. */
export const planDocuments = permission('apply:read', 'viewer', { reads: true });
/** Applying a plan; each of its calls is made in the name of the caller. */
export const applyDocuments = permission('apply:write', 'pipeline_editor', { capability: 'apply:write' });
