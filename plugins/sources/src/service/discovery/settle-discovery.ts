import type { RunChanged } from '@weir/kernel/contract';
import { TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import { DISCOVERY_KIND } from '../../model/run-kinds.ts';

/**
 * After each change of a run: a discovery that has ended keeps no configuration, and credentials for an hour only where a
 * source can be made of them. One that did not succeed leaves its source a draft again.
 */
export const settleDiscovery: RunChanged = async (tx, { run_id: runId, kind, subject_id: subjectId, status }) => {
  if (kind !== DISCOVERY_KIND.kind || !TERMINAL_RUN_STATUSES.includes(status)) return;
  const { tenantId } = tx.tenant;
  await tx.sql(
    `update sources.discovery set source_config = null,
       sealed = case when pattern_version is null then sealed end,
       credential_id = case when pattern_version is null then credential_id end,
       expires_at = case when pattern_version is null and (sealed is not null or credential_id is not null) then expires_at end
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
