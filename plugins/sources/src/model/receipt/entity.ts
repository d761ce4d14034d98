import { defineEntity, p } from '@mikro-orm/core';
import type { SyncReceiptView } from '../../contract.ts';

/** A row of `sources.receipt`: what a sync said when it had ended. Written once, never changed. */
export const ReceiptEntity = defineEntity({
  name: 'Receipt',
  schema: 'sources',
  tableName: 'receipt',
  properties: {
    tenantId: p.uuid().primary(),
    runId: p.uuid().primary(),
    document: p.json<SyncReceiptView>(),
    createdAt: p.datetime(),
  },
});
