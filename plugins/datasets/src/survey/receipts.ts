import type { TenantTransaction } from '@weir/kernel';
import type { RewriteResult } from '@weir/lakehouse';
import { type CallerTransaction, MAX_SHOWN_RECEIPTS, type TableHealthView, type TableRef } from '../contract.ts';

/** One rewritten bin with its proof. */
export interface BinReceipt {
  filesBefore: number;
  bytesBefore: number;
  result: RewriteResult;
}

/** Notes rewrites and their proofs, in the transaction that publishes them or finds them lost. */
export async function enterReceipts(
  tx: TenantTransaction,
  { ref, runId, from, snapshotId }: { ref: TableRef; runId: string; from: number; snapshotId: bigint | undefined },
  receipts: readonly (BinReceipt & { isLost: boolean })[],
): Promise<void> {
  const rows = receipts.map(({ filesBefore, bytesBefore, result, isLost }, at) => ({
    number: from + at,
    outcome: isLost ? 'lost' : 'committed',
    snapshot_id: isLost || snapshotId === undefined ? null : String(snapshotId),
    files_before: filesBefore,
    files_after: result.files.length,
    bytes_before: bytesBefore,
    bytes_after: result.files.reduce((sum, file) => sum + Number(file.file_size_in_bytes), 0),
    deleted_rows: result.deletedRows,
    rows_before: result.before.rows,
    rows_after: result.after.rows,
    checksum_before: result.before.checksum,
    checksum_after: result.after.checksum,
  }));
  if (rows.length === 0) return;
  await tx.sql(
    `insert into datasets.rewrite_receipt (tenant_id, run_id, namespace, table_name, number, outcome, snapshot_id,
       files_before, files_after, bytes_before, bytes_after, deleted_rows, rows_before, rows_after, checksum_before, checksum_after)
     select $1::uuid, $2::uuid, $3, $4, r.* from jsonb_to_recordset($5::jsonb) as r (number int, outcome text,
       snapshot_id bigint, files_before int, files_after int, bytes_before bigint, bytes_after bigint, deleted_rows bigint,
       rows_before bigint, rows_after bigint, checksum_before text, checksum_after text)
     on conflict do nothing`,
    [tx.tenant.tenantId, runId, ref.namespace, ref.table, JSON.stringify(rows)],
  );
}

/** How many receipts a run has: the number of its next one. */
export async function countReceipts(tx: TenantTransaction, runId: string): Promise<number> {
  const { rows } = await tx.sql(
    'select coalesce(max(number), -1) + 1 as next from datasets.rewrite_receipt where tenant_id = $1 and run_id = $2',
    [tx.tenant.tenantId, runId],
  );
  return Number(rows[0]?.next);
}

/** The newest receipts of a table. */
export async function receiptsOf(
  tx: TenantTransaction,
  { namespace, table }: TableRef,
): Promise<TableHealthView['receipts']> {
  const { rows } = await tx.sql(
    `select *, snapshot_id::text as snapshot_id from datasets.rewrite_receipt
     where tenant_id = $1 and namespace = $2 and table_name = $3 order by made_at desc, number desc limit $4`,
    [tx.tenant.tenantId, namespace, table, MAX_SHOWN_RECEIPTS],
  );
  return rows.map((row) => ({
    run_id: String(row.run_id),
    made_at: new Date(String(row.made_at)).toISOString(),
    outcome: row.outcome === 'lost' ? 'lost' : 'committed',
    snapshot_id: row.snapshot_id === null ? null : String(row.snapshot_id),
    files_before: Number(row.files_before),
    files_after: Number(row.files_after),
    bytes_before: Number(row.bytes_before),
    bytes_after: Number(row.bytes_after),
    deleted_rows: Number(row.deleted_rows),
    rows_before: Number(row.rows_before),
    rows_after: Number(row.rows_after),
    checksum_before: String(row.checksum_before),
    checksum_after: String(row.checksum_after),
  }));
}

/** Days for which receipts, and what runs were asked for, are kept. */
const KEPT_DAYS = 90;

/** Removes old receipts. */
export async function dropOldReceipts(tx: TenantTransaction): Promise<void> {
  for (const table of ['rewrite_receipt', 'maintenance_run']) {
    await tx.sql(`delete from datasets.${table} where tenant_id = $1 and made_at < now() - make_interval(days => $2)`, [
      tx.tenant.tenantId,
      KEPT_DAYS,
    ]);
  }
}

/** Removes what is kept of runs that are deleted; the budget of the hour keeps nothing of them. */
export async function dropRuns(tx: Pick<CallerTransaction, 'sql'>, runIds: readonly string[]): Promise<void> {
  for (const table of ['rewrite_receipt', 'maintenance_run']) {
    await tx.sql(`delete from datasets.${table} where run_id = any ($1::uuid[])`, [runIds]);
  }
}
