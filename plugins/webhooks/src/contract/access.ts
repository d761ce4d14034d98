import { permission } from '@weir/kernel/contract';

/** An address may hold a credential in its path, and what is sent leaves the platform: both are an admin's business. */
export const readWebhooks = permission('webhooks:read', 'admin', { capability: 'webhook:read' });
export const writeWebhooks = permission('webhooks:write', 'admin', { capability: 'webhook:write' });
