import type { RunChanged } from '@weir/kernel/contract';
import { TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import { DISCOVERY_KIND } from '../../model/run-kinds.ts';

/**
 * Told of every run that changes: a discovery that has ended keeps no configuration (its credentials wait out their hour, for
 * a source that is made of them), and one that did not succeed leaves its source a draft again, whoever has ended it.
 */
export const settleDiscovery: RunChanged = async (tx, { run_id: runId, kind, subject_id: subjectId, status }) => {
  if (kind !== DISCOVERY_KIND.kind || !TERMINAL_RUN_STATUSES.includes(status)) return;
  const { tenantId } = tx.tenant;
  await tx.sql(
    `update sources.discovery set source_config = null,
       expires_at = case when sealed is null and credential_id is null then null else expires_at end
     where tenant_id = $1 and run_id = $2`,
    [tenantId, runId],
  );
  if (status === 'succeeded') return;
  await tx.sql(
    `update sources.source set status = 'draft', version = version + 1, updated_at = now()
     where tenant_id = $1 and source_id = $2 and status = 'discovering'`,
    [tenantId, subjectId],
  );
};
