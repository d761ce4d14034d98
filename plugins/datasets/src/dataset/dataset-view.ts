import type { Static } from '@sinclair/typebox';
import { currentSchema, type Field, type Snapshot, type TableMetadata } from '@weir/lakehouse';
import type {
  DatasetDetail,
  DatasetItem,
  DatasetLayer,
  DatasetSnapshot,
  DatasetSnapshotTwin,
  LegacyTable,
  TableRef,
} from '../contract.ts';
import type { Block, FoundHealth } from '../model/found-health.ts';
import { datasetId } from './dataset-id.ts';
import { decimalDigits } from './decimal-digits.ts';
import { typeText } from './type-text.ts';

export type DatasetItemView = Static<typeof DatasetItem>;
export type DatasetDetailView = Static<typeof DatasetDetail>;
export type DatasetSnapshotView = Static<typeof DatasetSnapshot>;
export type DatasetSnapshotTwinView = Static<typeof DatasetSnapshotTwin>;
export type LegacyTableView = Static<typeof LegacyTable>;

/** A table as lists show it; without metadata (it cannot be read) only its names are known. */
export function itemView(
  ref: TableRef,
  metadata: TableMetadata | undefined,
  { status, blocked }: FoundHealth,
): DatasetItemView {
  return { ...factsView(ref, metadata), health: status, blocked: blocked && blockView(blocked) };
}

/** What keeps the maintenance of a table, as answers show it. */
export const blockView = ({ why, detail, since, runId }: Block) => ({ why, detail, since, run_id: runId });

function factsView(ref: TableRef, metadata: TableMetadata | undefined): Omit<DatasetItemView, 'health' | 'blocked'> {
  const names = {
    dataset_id: datasetId(ref),
    namespace: ref.namespace,
    table: ref.table,
    layer: ref.namespace.split('.')[0] as DatasetLayer,
  };
  if (metadata === undefined) {
    const unknown = { format_version: null, columns_count: null, total_records: null, total_data_files: null };
    return { ...names, ...unknown, total_bytes: null, updated_at: null, snapshot_id: null };
  }
  const current = currentSnapshot(metadata);
  const empty = { total_records: '0', total_data_files: 0, total_bytes: '0' };
  return {
    ...names,
    format_version: metadata['format-version'],
    columns_count: currentSchema(metadata).fields.length,
    ...(current === undefined ? empty : totals(current)),
    updated_at: new Date(metadata['last-updated-ms']).toISOString(),
    snapshot_id: current === undefined ? null : String(current['snapshot-id']),
  };
}

/** A table with its schema, layout and last snapshot. */
export function detailView(
  ref: TableRef,
  { metadata, location }: { metadata: TableMetadata; location: string },
  producer: { kind: string; id: string } | undefined,
): DatasetDetailView {
  const schema = currentSchema(metadata);
  const current = currentSnapshot(metadata);
  return {
    ...factsView(ref, metadata),
    table_uuid: metadata['table-uuid'],
    metadata_location: location,
    schema: {
      schema_id: schema['schema-id'],
      columns: schema.fields.map(({ id, name, type, required }) => ({ id, name, type: typeText(type), required })),
    },
    partition_spec: partitionView(metadata, schema.fields),
    last_snapshot:
      current === undefined ? null : { snapshot_id: String(current['snapshot-id']), ...snapshotFacts(current) },
    producer: producer ?? null,
  };
}

/** A snapshot with its numeric id, digit for digit, and the exact twin. */
export function snapshotTwinView(snapshot: Snapshot): DatasetSnapshotTwinView {
  const parent = snapshot['parent-snapshot-id'] ?? null;
  return {
    snapshot_id: snapshot['snapshot-id'],
    snapshot_id_exact: String(snapshot['snapshot-id']),
    parent_snapshot_id: parent,
    parent_snapshot_id_exact: parent === null ? null : String(parent),
    ...snapshotFacts(snapshot),
  };
}

/** A table in the deprecated form; without metadata (it cannot be read) only its names are known. */
export function legacyTableView(ref: TableRef, metadata: TableMetadata | undefined): LegacyTableView {
  const latest = metadata && currentSnapshot(metadata)?.['snapshot-id'];
  return {
    table: datasetId(ref),
    namespace: ref.namespace,
    name: ref.table,
    updated_at: metadata === undefined ? null : new Date(metadata['last-updated-ms']).toISOString(),
    latest_snapshot_id: latest ?? null,
    latest_snapshot_id_exact: latest === undefined ? null : String(latest),
  };
}

function currentSnapshot(metadata: TableMetadata): Snapshot | undefined {
  const id = metadata['current-snapshot-id'];
  return id === undefined ? undefined : metadata.snapshots.find((snapshot) => snapshot['snapshot-id'] === id);
}

function snapshotFacts(snapshot: Snapshot): Omit<DatasetSnapshotView, 'snapshot_id'> {
  const { summary } = snapshot;
  return {
    sequence_number: Number(snapshot['sequence-number']),
    committed_at: new Date(snapshot['timestamp-ms']).toISOString(),
    operation: summary.operation ?? 'unknown',
    run_id: summary['weir.run-id'] ?? null,
    added_records: digits(summary['added-records']),
    deleted_records: digits(summary['deleted-records']),
    added_data_files: count(summary['added-data-files']),
    deleted_data_files: count(summary['deleted-data-files']),
    ...totals(snapshot),
  };
}

function totals({ summary }: Snapshot) {
  return {
    total_records: liveRecords(summary),
    total_data_files: count(summary['total-data-files']),
    total_bytes: digits(summary['total-files-size']),
  };
}

/**
 * Rows of a snapshot by its summary: those of its data files less those that are deleted by place. A row that is deleted
 * by two files counts twice, which compaction ends; deletion by value says no number, so then there is none.
 */
function liveRecords(summary: Snapshot['summary']): string | null {
  const records = digits(summary['total-records']);
  if (records === null || BigInt(digits(summary['total-equality-deletes']) ?? '0') > 0n) return null;
  const left = BigInt(records) - BigInt(digits(summary['total-position-deletes']) ?? '0');
  return String(left > 0n ? left : 0n);
}

function digits(text: string | undefined): string | null {
  return decimalDigits(text) ?? null;
}

function count(text: string | undefined): number | null {
  const value = Number(digits(text) ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : null;
}

function partitionView(metadata: TableMetadata, fields: readonly Field[]): DatasetDetailView['partition_spec'] {
  const spec = metadata['partition-specs'].find((one) => one['spec-id'] === metadata['default-spec-id']);
  return (spec?.fields ?? []).map((part) => ({
    column: fields.find((field) => field.id === part['source-id'])?.name ?? part.name,
    transform: part.transform,
  }));
}
