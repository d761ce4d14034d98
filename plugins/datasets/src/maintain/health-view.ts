import type { TenantTransaction } from '@weir/kernel';
import type { Input, Output } from '@weir/kernel/contract';
import {
  MARK_DAYS,
  MAX_SHOWN_REMOVES,
  type MaintenanceAction,
  type maintainTable,
  type TableHealthView,
} from '../contract.ts';
import { datasetId } from '../dataset/dataset-id.ts';
import { blockView } from '../dataset/dataset-view.ts';
import type { HealthRow } from '../store/table-health.ts';
import { receiptsOf } from '../survey/receipts.ts';
import type { Survey } from '../survey/survey.ts';
import { blockOf, dueOf, statusOf } from './look.ts';

const MS_PER_DAY = 86_400_000;

type Kept = Pick<TableHealthView, 'holds' | 'receipts' | 'last_run'>;

/** What the database keeps of the maintenance of a table. */
export async function keptOf(tx: TenantTransaction, { ref, held }: Pick<Survey, 'ref' | 'held'>): Promise<Kept> {
  const at = [tx.tenant.tenantId, ref.namespace, ref.table];
  const marks = await tx.sql(
    `select reader, snapshot_id::text as snapshot_id, marked_at from datasets.input_mark
     where tenant_id = $1 and namespace = $2 and table_name = $3 order by marked_at limit 100`,
    at,
  );
  const runs = await tx.sql(
    `select run_id, actions, made_at from datasets.maintenance_run
     where tenant_id = $1 and namespace = $2 and table_name = $3 order by made_at desc limit 1`,
    at,
  );
  const [last] = runs.rows;
  return {
    holds: [
      ...held.map(({ runId, snapshotId }) => ({ by: runId, snapshot_id: snapshotId, until: null })),
      ...marks.rows.map((row) => ({
        by: String(row.reader),
        snapshot_id: String(row.snapshot_id),
        until: new Date(new Date(String(row.marked_at)).getTime() + MARK_DAYS * MS_PER_DAY).toISOString(),
      })),
    ],
    receipts: await receiptsOf(tx, ref),
    last_run:
      last === undefined
        ? null
        : {
            run_id: String(last.run_id),
            made_at: new Date(String(last.made_at)).toISOString(),
            actions: last.actions as MaintenanceAction[],
          },
  };
}

/** The settings of a table as the wire shows them. */
export function settingsView(row: HealthRow | undefined): TableHealthView['maintenance'] {
  return {
    paused: row?.paused ?? false,
    target_file_bytes: row?.targetFileBytes ?? null,
    keep_days: row?.keepDays ?? null,
    etag: String(row?.version ?? 0),
  };
}

/** The health of a table as it is now. */
export function healthView(survey: Survey, kept: Kept, now: number): TableHealthView {
  const { ref, plan, row, table, metadataBytes } = survey;
  const { figures } = plan;
  const { snapshots } = table.metadata;
  const due = dueOf(survey);
  const blocked = blockOf(survey, now);
  const oldest = snapshots.reduce((least, one) => Math.min(least, one['timestamp-ms']), Number.POSITIVE_INFINITY);
  return {
    dataset_id: datasetId(ref),
    status: statusOf({ due, blocked }),
    files: figures.files,
    bytes: figures.bytes,
    average_file_bytes: figures.files === 0 ? 0 : Math.round(figures.bytes / figures.files),
    small_files: figures.smallFiles,
    delete_files: figures.deleteFiles,
    deleted_rows: figures.deletedRows,
    manifests: figures.manifests,
    snapshots: snapshots.length,
    oldest_snapshot_at: snapshots.length === 0 ? null : new Date(oldest).toISOString(),
    metadata_bytes: metadataBytes,
    due,
    waiting: plan.waiting.map(({ why, files, bytes, until }) => ({
      why,
      files,
      bytes,
      until: new Date(until).toISOString(),
    })),
    blocked: blocked === undefined ? null : blockView(blocked),
    next_at: row === undefined || row.paused ? null : row.nextAt.toISOString(),
    ...kept,
    maintenance: settingsView(row),
  };
}

type Would = Output<typeof maintainTable>['would'];
export type AskedMaintenance = Input<typeof maintainTable>['body'];
/** What is done unless the caller says otherwise. */
export const USUAL_ACTIONS: readonly MaintenanceAction[] = ['compact', 'manifests', 'expire'];

/** What the actions would do with the table as it is; those that would do nothing are left out. */
export function wouldOf({ plan }: Survey, actions: readonly MaintenanceAction[], orphans: readonly string[]): Would {
  const { compact, figures, expire, manifests, targetBytes } = plan;
  const gone = compact.flatMap(({ files }) => files.map(({ location }) => location));
  const written = compact.reduce((sum, { bytes }) => sum + Math.max(1, Math.round(bytes / targetBytes)), 0);
  const all: Would = [
    {
      action: 'compact',
      files_before: figures.files,
      files_after: figures.files - gone.length + written,
      bytes: plan.cost.bytes,
      removes: gone.slice(0, MAX_SHOWN_REMOVES),
    },
    {
      action: 'manifests',
      files_before: figures.manifests,
      files_after: manifests ? 1 : figures.manifests,
      bytes: 0,
      removes: [],
    },
    {
      action: 'expire',
      files_before: expire.length,
      files_after: 0,
      bytes: 0,
      removes: expire.slice(0, MAX_SHOWN_REMOVES).map((one) => String(one['snapshot-id'])),
    },
    {
      action: 'orphans',
      files_before: orphans.length,
      files_after: 0,
      bytes: 0,
      removes: orphans.slice(0, MAX_SHOWN_REMOVES),
    },
  ];
  const isIdle = ({ action, files_before: before, files_after: after }: Would[number]) =>
    action === 'compact' ? compact.length === 0 : before === after;
  return all.filter((one) => actions.includes(one.action) && !isIdle(one));
}
