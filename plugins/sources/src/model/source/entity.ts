import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { SOURCE_STATUSES } from '../../contract.ts';
import type { NamedImage } from '../runtime/named-image.ts';

/** A row of `sources.source`. */
export const SourceEntity = defineEntity({
  name: 'Source',
  schema: 'sources',
  tableName: 'source',
  properties: {
    tenantId: p.uuid().primary(),
    sourceId: p.uuid().primary(),
    name: p.string(),
    patternId: p.string(),
    patternVersion: p.string(),
    /** Without credentials, in either mode. */
    sourceConfig: p.json<Record<string, unknown>>(),
    /** The credentials of a source that are kept inline, sealed for its row. */
    sealed: p.text().nullable(),
    /** The credential in the secret store that it uses. */
    credentialId: p.uuid().nullable(),
    /** The image that its last discovery has run, or its first sync; runs under the same name are held to it. */
    image: p.json<NamedImage>().nullable(),
    status: p.enum(SOURCE_STATUSES),
    version: p.integer(),
    lastRunId: p.uuid().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});
export type SourceRow = InferEntity<typeof SourceEntity>;
