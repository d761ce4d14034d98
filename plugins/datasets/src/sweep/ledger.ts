import type { TenantTransaction } from '@weir/kernel';
import type { TableRef } from '../contract.ts';

/** Stands for the run of files that no run wrote or removes: those of maintenance. It has always ended. */
export const MAINTENANCE_RUN = '00000000-0000-0000-0000-000000000000';

/** An entry of the ledger of staged files; ages are judged by the database's clock alone. */
export interface LedgerEntry {
  location: string;
  runId: string;
  ref: TableRef | undefined;
  isFolder: boolean;
  /** Exact, as the database prints it: part of the place in a listing. */
  stagedAt: string;
  mark: 'none' | 'young' | 'old';
}

/** Where a page begins: behind this entry. */
export interface LedgerPlace {
  stagedAt: string;
  location: string;
}

/** Entries that are older than the grace time, the oldest first. */
export async function dueEntries(
  tx: TenantTransaction,
  { graceHours, after, limit }: { graceHours: number; after: LedgerPlace | undefined; limit: number },
): Promise<LedgerEntry[]> {
  const { rows } = await tx.sql(
    `select location, run_id, namespace, table_name, is_folder,
            to_char(staged_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as staged_at,
            case when marked_at is null then 'none'
                 when marked_at < now() - make_interval(hours => $2) then 'old' else 'young' end as mark
     from datasets.staged_file
     where tenant_id = $1 and staged_at < now() - make_interval(hours => $2)
       and ($3::timestamptz is null or (staged_at, location) > ($3::timestamptz, $4::text))
     order by staged_at, location limit $5`,
    [tx.tenant.tenantId, graceHours, after?.stagedAt ?? null, after?.location ?? null, limit],
  );
  return rows.map((row) => ({
    location: String(row.location),
    runId: String(row.run_id),
    ref: row.table_name === null ? undefined : { namespace: String(row.namespace), table: String(row.table_name) },
    isFolder: row.is_folder === true,
    stagedAt: String(row.staged_at),
    mark: row.mark as LedgerEntry['mark'],
  }));
}

/** Says that no snapshot needs some file of an entry, or takes that back. */
export async function setMark(tx: TenantTransaction, location: string, marked: boolean): Promise<void> {
  await tx.sql(
    `update datasets.staged_file set marked_at = case when $3 then coalesce(marked_at, now()) end
     where tenant_id = $1 and location = $2`,
    [tx.tenant.tenantId, location, marked],
  );
}

/** Takes this one entry off the ledger, and none that it lies in. */
export async function endEntry(tx: TenantTransaction, location: string): Promise<void> {
  await tx.sql('delete from datasets.staged_file where tenant_id = $1 and location = $2', [
    tx.tenant.tenantId,
    location,
  ]);
}
