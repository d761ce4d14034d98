import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { TENANT_ROLES } from '@weir/kernel/contract';

/** A row of `identity.api_token`; the secret is there by its hash alone, and read by nothing but the reader. */
export const ApiTokenEntity = defineEntity({
  name: 'ApiToken',
  schema: 'identity',
  tableName: 'api_token',
  properties: {
    tenantId: p.uuid().primary(),
    apiTokenId: p.uuid().primary(),
    name: p.string(),
    role: p.enum(TENANT_ROLES),
    createdBy: p.string(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    revokedBy: p.string().nullable(),
  },
});
export type ApiTokenRow = InferEntity<typeof ApiTokenEntity>;
