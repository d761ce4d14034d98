import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { POLICY_KINDS, POLICY_STATUSES } from '../contract.ts';

/** A row of `identity.policy`. `version` is the newest one, `revision` counts every change and is the etag. */
export const PolicyEntity = defineEntity({
  name: 'IdentityPolicy',
  schema: 'identity',
  tableName: 'policy',
  properties: {
    tenantId: p.uuid().primary(),
    policyId: p.uuid().primary(),
    name: p.string(),
    kind: p.enum(POLICY_KINDS),
    status: p.enum(POLICY_STATUSES),
    version: p.integer(),
    revision: p.integer(),
    clonedFrom: p.json<{ policy_id: string; version: number }>().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    deletedAt: p.datetime().nullable(),
  },
});
export type PolicyRow = InferEntity<typeof PolicyEntity>;

/** A row of `identity.policy_version`, which is only ever added. */
export const PolicyVersionEntity = defineEntity({
  name: 'IdentityPolicyVersion',
  schema: 'identity',
  tableName: 'policy_version',
  properties: {
    tenantId: p.uuid().primary(),
    policyId: p.uuid().primary(),
    version: p.integer().primary(),
    document: p.json<Record<string, unknown>>(),
    digest: p.string(),
    note: p.string().nullable(),
    createdBy: p.string(),
    createdAt: p.datetime(),
  },
});
export type PolicyVersionRow = InferEntity<typeof PolicyVersionEntity>;
