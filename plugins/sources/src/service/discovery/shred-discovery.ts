import type { TenantTransaction } from '@weir/kernel';
import { sourceProblems } from '../../contract.ts';

/** Forgets what a discovery was given, by its workflow id: a source has it now. Throws when another was faster. */
export async function shredDiscovery(tx: TenantTransaction, workflowId: string): Promise<void> {
  const { rowCount } = await tx.sql(
    `update sources.discovery d set sealed = null, credential_id = null, source_config = null, expires_at = null
     from kernel.run r where d.tenant_id = $1 and r.tenant_id = d.tenant_id and r.run_id = d.run_id
       and (r.workflow_id = $2 or r.run_id::text = $2) and (d.sealed is not null or d.credential_id is not null)`,
    [tx.tenant.tenantId, workflowId],
  );
  if (rowCount === 0) throw sourceProblems.discoveryCredentialsGone();
}
