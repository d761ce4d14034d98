import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { TenantRole } from '@weir/kernel/contract';

/** A row of `identity.person`: what the last access token that was seen of somebody said. */
export const PersonEntity = defineEntity({
  name: 'Person',
  schema: 'identity',
  tableName: 'person',
  properties: {
    tenantId: p.uuid().primary(),
    sub: p.string().primary(),
    name: p.string().nullable(),
    email: p.string().nullable(),
    roles: p.json<TenantRole[]>(),
    client: p.string(),
    firstSeen: p.datetime(),
    lastSeen: p.datetime(),
  },
});
export type PersonRow = InferEntity<typeof PersonEntity>;
