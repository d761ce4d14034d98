import { permission, platformPermission } from '@weir/kernel/contract';

/** The engine is shared by all tenants, so only platform admins see it, and services with the capability. */
export const readEngine = platformPermission('workflow-engine:read', { capability: 'workflow:read' });
/** Looking at a workflow of the tenant. */
export const readWorkflows = permission('workflows:read', 'viewer', { capability: 'workflow:write' });
/** Starting, cancelling and waiting for workflows of the tenant. */
export const writeWorkflows = permission('workflows:write', 'pipeline_editor', { capability: 'workflow:write' });
