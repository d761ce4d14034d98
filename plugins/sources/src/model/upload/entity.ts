import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** A row of `sources.upload`: what an upload holds; its files lie in the folder of uploads. */
export const UploadEntity = defineEntity({
  name: 'Upload',
  schema: 'sources',
  tableName: 'upload',
  properties: {
    tenantId: p.uuid().primary(),
    uploadId: p.uuid().primary(),
    /** Bytes by name of a file. */
    files: p.json<Record<string, number>>(),
    bytes: p.bigint('number'),
    /** When it was last written or named. */
    usedAt: p.datetime(),
  },
});
export type UploadRow = InferEntity<typeof UploadEntity>;
