import { canonicalJson, type Tenant, type TenantTransaction } from '@weir/kernel';
import { AUDIT_GENESIS } from '../contract.ts';
import { type AuditEntry, linkHash } from './audit-event.ts';

/** Under whose id the chain of calls lies that belong to no tenant; no tenant has the nil UUID. */
export const PLATFORM_CHAIN: Tenant = { tenantId: '00000000-0000-0000-0000-000000000000', alias: '', scope: '' };

/** Appends an event to the chain of the transaction's tenant; whoever comes meanwhile waits for its commit. */
export async function append(tx: TenantTransaction, entry: AuditEntry): Promise<void> {
  const { tenantId } = tx.tenant;
  const { rows } = await tx.sql(LOCK_HEAD, [tenantId, AUDIT_GENESIS]);
  const previous = String(rows[0]?.hash);
  const record = canonicalJson(entry);
  await tx.sql(LINK, [tenantId, previous, record, linkHash(previous, record)]);
}

/** The last event of a chain, by its number and hash; of an empty chain number 0. */
export async function headOf(tx: TenantTransaction): Promise<{ seq: string; hash: string }> {
  const { rows } = await tx.sql('select seq::text, hash from platform.audit_chain where tenant_id = $1', [
    tx.tenant.tenantId,
  ]);
  return { seq: String(rows[0]?.seq ?? '0'), hash: String(rows[0]?.hash ?? AUDIT_GENESIS) };
}

/** A conflict that changes nothing still locks the row and reads it as it is now. */
const LOCK_HEAD = `
insert into platform.audit_chain as head (tenant_id, seq, hash) values ($1, 0, $2)
on conflict (tenant_id) do update set seq = head.seq returning hash`;

const LINK = `
with moved as (
  update platform.audit_chain set seq = seq + 1, hash = $4 where tenant_id = $1 returning seq)
insert into platform.audit_event (tenant_id, seq, event, previous_hash, hash)
select $1, seq, $3::jsonb, $2, $4 from moved`;
