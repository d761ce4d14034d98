import { defineEntity, p } from '@mikro-orm/core';
import type { CheckpointCounters } from '../contract.ts';

/** A row of `datasets.checkpoint`: the opaque progress that was stored with the rows it covers. */
export const CheckpointEntity = defineEntity({
  name: 'DatasetCheckpoint',
  schema: 'datasets',
  tableName: 'checkpoint',
  properties: {
    tenantId: p.uuid().primary(),
    key: p.text().primary(),
    /** JSON text, exactly as it was given. */
    state: p.text().nullable(),
    counters: p.json<CheckpointCounters>(),
    runId: p.uuid(),
    updatedAt: p.datetime(),
  },
});
