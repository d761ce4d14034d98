import { defineEntity, p } from '@mikro-orm/core';
import type { ReplayOutcomeView } from '../../contract.ts';

/** Which lines a replay takes: those of one sync, and those of some reasons; all unless it says so. */
export interface ReplayRequest {
  dataset_id: string;
  run_id: string | null;
  reasons: string[] | null;
}

/** A row of `sources.quarantine_replay`. */
export const ReplayEntity = defineEntity({
  name: 'QuarantineReplay',
  schema: 'sources',
  tableName: 'quarantine_replay',
  properties: {
    tenantId: p.uuid().primary(),
    runId: p.uuid().primary(),
    streamId: p.uuid(),
    request: p.json<ReplayRequest>(),
    outcome: p.json<ReplayOutcomeView>().nullable(),
    createdAt: p.datetime(),
  },
});
