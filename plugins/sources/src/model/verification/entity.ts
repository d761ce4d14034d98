import { defineEntity, p } from '@mikro-orm/core';
import type { SyncVerificationView } from '../../contract.ts';

/** A row of `sources.verification`: a sync that is, or was, held against its tables. */
export const VerificationEntity = defineEntity({
  name: 'Verification',
  schema: 'sources',
  tableName: 'verification',
  properties: {
    tenantId: p.uuid().primary(),
    verificationRunId: p.uuid().primary(),
    runId: p.uuid(),
    outcome: p.json<SyncVerificationView>().nullable(),
    createdAt: p.datetime(),
  },
});
