import { canonicalJson, type Tenant, type TenantTransaction } from '@weir/kernel';
import { AUDIT_GENESIS } from '../contract.ts';
import type { AuditEntry } from './audit-event.ts';

/** Under whose id the chain of calls lies that belong to no tenant; no tenant has the nil UUID. */
export const PLATFORM_CHAIN: Tenant = { tenantId: '00000000-0000-0000-0000-000000000000', alias: '', scope: '' };

/** Appends an event to the chain of the transaction's tenant; whoever comes meanwhile waits for its commit. */
export async function append(tx: TenantTransaction, entry: AuditEntry): Promise<void> {
  await tx.sql('select platform.append_audit_event($1)', [canonicalJson(entry)]);
}

/** The last event of a chain, by its number and hash; of an empty chain number 0. */
export async function headOf(tx: TenantTransaction): Promise<{ seq: string; hash: string }> {
  const { rows } = await tx.sql('select seq::text, hash from platform.audit_chain where tenant_id = $1', [
    tx.tenant.tenantId,
  ]);
  return { seq: String(rows[0]?.seq ?? '0'), hash: String(rows[0]?.hash ?? AUDIT_GENESIS) };
}
