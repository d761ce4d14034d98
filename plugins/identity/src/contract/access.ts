import { knownPermission, permission } from '@weir/kernel/contract';

/** Asking who one is. */
export const readMe = knownPermission('me:read');
/** Seeing API tokens: one's own, or as an admin those of the tenant. */
export const readTokens = permission('api-tokens:read', 'viewer');
/** Making and revoking API tokens. */
export const writeTokens = permission('api-tokens:write', 'viewer', { people: true });
/** Seeing identity policies. */
export const readPolicies = permission('policies:read', 'pipeline_editor', { people: true });
/** Making, changing and trying identity policies. */
export const writePolicies = permission('policies:write', 'admin', { people: true });
/** Seeing people: oneself, or as an admin those of the tenant. */
export const readUsers = permission('users:read', 'viewer', { capability: 'user:read' });
