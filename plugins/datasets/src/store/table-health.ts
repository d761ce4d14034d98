import type { TenantTransaction } from '@weir/kernel';
import { findSnapshot, type TableMetadata } from '@weir/lakehouse';
import type { CallerTransaction, TableRef } from '../contract.ts';
import type { Block } from '../model/found-health.ts';

/** Lost races of a bin from which on it waits for a calm hour. */
export const MAX_LOST_RACES = 3;
/** A table is looked at so long after a commit: a partition that just got one is left alone for as long. */
const LOOK_AFTER_SECONDS = 305;
/** Data files from which on a commit has the table looked at sooner. */
const PRESSING_FILES = 64;
const LOOK_SOON_SECONDS = 15;

/** What was found due when the table was looked at. */
export interface DueAction {
  action: 'compact' | 'manifests' | 'expire' | 'orphans';
  reason: 'small_files' | 'deleted_rows' | 'manifests' | 'snapshots';
  value: number;
  bound: number;
  bytes: number;
}

/** A row of `datasets.table_health`. */
export interface HealthRow {
  ref: TableRef;
  tableUuid: string;
  metadataLocation: string;
  checkedAt: Date | undefined;
  nextAt: Date;
  due: readonly DueAction[];
  blocked: Block | undefined;
  lostRaces: Readonly<Record<string, number>>;
  orphansAt: Date;
  paused: boolean;
  targetFileBytes: number | undefined;
  keepDays: number | undefined;
  version: number;
}

const FIGURES = ['total-data-files', 'total-files-size', 'total-delete-files', 'total-position-deletes'] as const;

/**
 * Notes what a commit says of its table, in the transaction that moves it: one statement, and no manifest is read. A table of
 * another uuid starts over but keeps what people have set for its name.
 */
export async function noteHealth(
  tx: Pick<CallerTransaction, 'sql' | 'tenant'>,
  { namespace, table }: TableRef,
  { metadata, metadataLocation }: { metadata: TableMetadata; metadataLocation: string },
): Promise<void> {
  const summary = findSnapshot(metadata)?.summary ?? {};
  const [files = '0', bytes = '0', deletes = '0', positions = '0'] = FIGURES.map((key) =>
    /^\d+$/.test(summary[key] ?? '') ? summary[key] : '0',
  );
  await tx.sql(
    `insert into datasets.table_health as h (tenant_id, namespace, table_name, table_uuid, metadata_location, data_files,
       bytes, delete_files, position_deletes, snapshots, next_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + make_interval(secs => $11))
     on conflict (tenant_id, namespace, table_name) do update set
       table_uuid = excluded.table_uuid, metadata_location = excluded.metadata_location, data_files = excluded.data_files,
       bytes = excluded.bytes, delete_files = excluded.delete_files, position_deletes = excluded.position_deletes,
       snapshots = excluded.snapshots, changed_at = now(), next_at = least(h.next_at, excluded.next_at),
       lost_races = case when h.table_uuid = excluded.table_uuid then h.lost_races else '{}' end,
       blocked = case when h.table_uuid = excluded.table_uuid then h.blocked end`,
    [
      ...[tx.tenant.tenantId, namespace, table, metadata['table-uuid'], metadataLocation],
      ...[files, bytes, deletes, positions, metadata.snapshots.length],
      Number(files) > PRESSING_FILES ? LOOK_SOON_SECONDS : LOOK_AFTER_SECONDS,
    ],
  );
}

const COLUMNS = `namespace, table_name, table_uuid, metadata_location, checked_at, next_at, due, blocked, lost_races, orphans_at,
  paused, target_file_bytes, keep_days, version`;

/** The row of a table; undefined for one that was never noted. */
export async function healthOf(
  tx: Pick<CallerTransaction, 'sql' | 'tenant'>,
  { namespace, table }: TableRef,
  { lock = false } = {},
): Promise<HealthRow | undefined> {
  const { rows } = await tx.sql(
    `select ${COLUMNS} from datasets.table_health
     where tenant_id = $1 and namespace = $2 and table_name = $3${lock ? ' for update' : ''}`,
    [tx.tenant.tenantId, namespace, table],
  );
  return rows[0] && toRow(rows[0]);
}

/** Tables that are to be looked at, or were found due; those that wait longest come first. */
export async function tablesToLookAt(tx: TenantTransaction, limit: number): Promise<HealthRow[]> {
  const { rows } = await tx.sql(
    `select ${COLUMNS} from datasets.table_health where tenant_id = $1 and not paused and next_at <= now()
     order by next_at limit $2`,
    [tx.tenant.tenantId, limit],
  );
  return rows.map(toRow);
}

/** Tables whose pointer moved without a note: another engine has written them, or they are from before there were notes. */
export async function unnotedTables(
  tx: TenantTransaction,
  { catalogName, namespaces, limit }: { catalogName: string; namespaces: readonly string[]; limit: number },
): Promise<{ ref: TableRef; metadataLocation: string }[]> {
  const { rows } = await tx.sql(
    `select t.table_namespace, t.table_name, t.metadata_location from catalog.iceberg_tables t
     left join datasets.table_health h on h.tenant_id = $1 and h.namespace = t.table_namespace and h.table_name = t.table_name
     where t.catalog_name = $2 and t.table_namespace = any ($3::text[]) and t.metadata_location is not null
       and h.metadata_location is distinct from t.metadata_location
     order by 1, 2 limit $4`,
    [tx.tenant.tenantId, catalogName, namespaces, limit],
  );
  return rows.map((row) => ({
    ref: { namespace: String(row.table_namespace), table: String(row.table_name) },
    metadataLocation: String(row.metadata_location),
  }));
}

/** Forgets a table that the catalog does not have any more. */
export async function forgetHealth(tx: TenantTransaction, { namespace, table }: TableRef): Promise<void> {
  await tx.sql('delete from datasets.table_health where tenant_id = $1 and namespace = $2 and table_name = $3', [
    ...[tx.tenant.tenantId, namespace, table],
  ]);
}

/** Stores what a look at the table found, and when the next one is. */
export async function storeLook(
  tx: TenantTransaction,
  { namespace, table }: TableRef,
  { due, blocked, nextAt }: { due: readonly DueAction[]; blocked: Block | undefined; nextAt: Date },
): Promise<void> {
  await tx.sql(
    `update datasets.table_health set due = $4::jsonb, blocked = $5::jsonb, next_at = $6, checked_at = now()
     where tenant_id = $1 and namespace = $2 and table_name = $3`,
    [
      ...[tx.tenant.tenantId, namespace, table, JSON.stringify(due)],
      ...[blocked === undefined ? null : JSON.stringify(blocked), nextAt],
    ],
  );
}

/** Counts the races of bins: lost ones get one more, won ones start over. */
export async function countRaces(
  tx: TenantTransaction,
  { namespace, table }: TableRef,
  { lost, won }: { lost: readonly string[]; won: readonly string[] },
): Promise<void> {
  if (lost.length + won.length === 0) return;
  await tx.sql(
    `update datasets.table_health h set lost_races = (select coalesce(jsonb_object_agg(key, races), '{}') from (
         select key, max(races) as races from (
           select key, value::int as races from jsonb_each_text(h.lost_races)
           union all select key, coalesce((h.lost_races ->> key)::int, 0) + 1 from unnest($4::text[]) as key) counted
         where key <> all ($5::text[]) group by key order by races desc limit 200) kept)
     where tenant_id = $1 and namespace = $2 and table_name = $3`,
    [tx.tenant.tenantId, namespace, table, lost, won],
  );
}

/** Notes that the folder of a table was searched for orphans. */
export async function noteOrphans(tx: TenantTransaction, { namespace, table }: TableRef): Promise<void> {
  await tx.sql(
    'update datasets.table_health set orphans_at = now() where tenant_id = $1 and namespace = $2 and table_name = $3',
    [tx.tenant.tenantId, namespace, table],
  );
}

const numberOf = (value: unknown): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);

function toRow(row: Record<string, unknown>): HealthRow {
  return {
    ref: { namespace: String(row.namespace), table: String(row.table_name) },
    tableUuid: String(row.table_uuid),
    metadataLocation: String(row.metadata_location),
    checkedAt: row.checked_at === null ? undefined : new Date(String(row.checked_at)),
    nextAt: new Date(String(row.next_at)),
    due: row.due as DueAction[],
    blocked: (row.blocked as Block | null) ?? undefined,
    lostRaces: row.lost_races as Record<string, number>,
    orphansAt: new Date(String(row.orphans_at)),
    paused: row.paused === true,
    targetFileBytes: numberOf(row.target_file_bytes),
    keepDays: numberOf(row.keep_days),
    version: Number(row.version),
  };
}
