import { permission, platformPermission } from '@weir/kernel/contract';

/** Libraries are the same for every tenant; subjects are the tenant's own. */
export const readSchemas = permission('schemas:read', 'viewer');
/** Trying documents and words, which changes nothing. */
export const trySchemas = permission('schemas:read', 'viewer', { reads: true });
export const writeSchemas = permission('schemas:write', 'pipeline_editor', { capability: 'schema:write' });
export const syncLibraries = platformPermission('schema-libraries:sync', { capability: 'catalog:sync' });
