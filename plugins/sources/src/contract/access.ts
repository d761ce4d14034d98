import { permission, platformPermission, webhookPermission } from '@weir/kernel/contract';

/** Reading sources, streams, patterns and runs. */
export const readSources = permission('sources:read', 'viewer');
/** Creating and changing sources and streams. */
export const writeSources = permission('sources:write', 'pipeline_editor', { capability: 'source:write' });
/** Starting discoveries and syncs. */
export const runSources = permission('sources:run', 'pipeline_editor', { capability: 'source:write' });
/** Reading what may be known of credentials: not for those who only look at sources. */
export const readCredentials = permission('credentials:read', 'pipeline_editor', { capability: 'credential:write' });
/** Giving sources their credentials, and taking them away. */
export const writeCredentials = permission('credentials:write', 'pipeline_editor', { capability: 'credential:write' });
/** Moving credentials into the secret store, and revoking them for ever. */
export const administerCredentials = permission('credentials:admin', 'admin', { capability: 'credential:admin' });
/** Registering a connector pattern: whoever signs with PATTERN_WEBHOOK_SECRET. */
export const registerPatterns = webhookPermission('patterns:register');
/** Setting all connector patterns at once: whoever signs with PATTERN_ADMIN_SECRET. */
export const reconcilePatternSet = webhookPermission('patterns:reconcile');
/** Adding a connector pattern by its image: patterns are shared by all tenants. */
export const addPatterns = platformPermission('patterns:add', { capability: 'pattern:add' });
