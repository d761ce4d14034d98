import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { CREDENTIAL_STATUSES } from '../../contract.ts';

/**
 * A row of `sources.credential`: where the values of a credential lie, and which of them are there. `fields` are pointers
 * that the present version has values for; `latestVersion` counts versions that were written and are not used too.
 */
export const CredentialEntity = defineEntity({
  name: 'Credential',
  schema: 'sources',
  tableName: 'credential',
  properties: {
    tenantId: p.uuid().primary(),
    credentialId: p.uuid().primary(),
    credentialRef: p.string(),
    name: p.string(),
    /** Id of the pattern whose sources can use it. */
    kind: p.string(),
    /** What the pattern declared when this version was written. */
    declaredFields: p.json<string[]>(),
    fields: p.json<string[]>(),
    /** Digest of the place that the values were given for; null of a credential of an earlier release. */
    place: p.string().nullable(),
    version: p.integer(),
    latestVersion: p.integer(),
    status: p.enum(CREDENTIAL_STATUSES),
    rotatedAt: p.datetime(),
    createdAt: p.datetime(),
  },
});
export type CredentialRow = InferEntity<typeof CredentialEntity>;
