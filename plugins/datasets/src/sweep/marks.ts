import type { TenantTransaction } from '@weir/kernel';
import { type CallerTransaction, MARK_DAYS, type PinnedInput, type TableRef } from '../contract.ts';

/** Keeps the snapshots from which a reader will read on, in place of those that it marked before. */
export async function markInputs(tx: CallerTransaction, reader: string, pins: readonly PinnedInput[]): Promise<void> {
  await unmarkInputs(tx, reader);
  const rows = pins.flatMap(({ ref, snapshotId }) =>
    snapshotId === null ? [] : [{ ...ref, snapshot_id: snapshotId }],
  );
  if (rows.length === 0) return;
  await tx.sql(
    `insert into datasets.input_mark (tenant_id, reader, namespace, table_name, snapshot_id)
     select $1::uuid, $2, namespace, "table", snapshot_id
     from jsonb_to_recordset($3::jsonb) as pin (namespace text, "table" text, snapshot_id bigint)
     on conflict do nothing`,
    [tx.tenant.tenantId, reader, JSON.stringify(rows)],
  );
}

export async function unmarkInputs(tx: CallerTransaction, reader: string): Promise<void> {
  await tx.sql('delete from datasets.input_mark where tenant_id = $1 and reader = $2', [tx.tenant.tenantId, reader]);
}

/** The snapshots of a table from which readers read on, by id, as far as they are marked no longer than `MARK_DAYS`. */
export async function markedSnapshots(
  tx: TenantTransaction,
  { namespace, table }: TableRef,
  now: number,
): Promise<string[]> {
  const { rows } = await tx.sql(
    `select distinct snapshot_id::text as snapshot_id from datasets.input_mark
     where tenant_id = $1 and namespace = $2 and table_name = $3
       and marked_at > to_timestamp($4::double precision / 1000) - make_interval(days => $5)`,
    [tx.tenant.tenantId, namespace, table, now, MARK_DAYS],
  );
  return rows.map((row) => String(row.snapshot_id));
}
