import type { Static } from '@sinclair/typebox';
import { currentSchema, type Field, findSnapshot, type Snapshot, type TableMetadata } from '@weir/lakehouse';
import type { DatasetColumn, DatasetItem, DatasetSnapshot, DatasetSnapshotTwin } from '../contract/datasets.ts';
import type { TableRef } from '../contract/tables.ts';
import { datasetId, layerOf } from '../table-ref.ts';

/** A dataset as lists show it; without metadata (it could not be read) only its name is known. */
export function itemView(ref: TableRef, metadata: TableMetadata | undefined): Static<typeof DatasetItem> {
  const snapshot = metadata === undefined ? undefined : findSnapshot(metadata);
  const summary = snapshot?.summary;
  return {
    dataset_id: datasetId(ref),
    namespace: ref.namespace,
    table: ref.table,
    layer: layerOf(ref),
    format_version: metadata?.['format-version'] ?? null,
    columns_count: metadata === undefined ? null : currentSchema(metadata).fields.length,
    total_records: metadata === undefined ? null : (summary?.['total-records'] ?? '0'),
    total_data_files: metadata === undefined ? null : Number(summary?.['total-data-files'] ?? 0),
    total_bytes: metadata === undefined ? null : (summary?.['total-files-size'] ?? '0'),
    updated_at: metadata === undefined ? null : new Date(metadata['last-updated-ms']).toISOString(),
    snapshot_id: snapshot?.['snapshot-id'].toString() ?? null,
  };
}

/** The facts of a snapshot, its id as a string. */
export function snapshotView(snapshot: Snapshot): Static<typeof DatasetSnapshot> {
  const { summary } = snapshot;
  const count = (key: string) => (summary[key] === undefined ? null : Number(summary[key]));
  return {
    snapshot_id: snapshot['snapshot-id'].toString(),
    sequence_number: Number(snapshot['sequence-number']),
    committed_at: new Date(snapshot['timestamp-ms']).toISOString(),
    operation: summary.operation ?? 'append',
    run_id: summary['weir.run-id'] ?? null,
    added_records: summary['added-records'] ?? null,
    deleted_records: summary['deleted-records'] ?? null,
    added_data_files: count('added-data-files'),
    deleted_data_files: count('deleted-data-files'),
    total_records: summary['total-records'] ?? null,
    total_data_files: count('total-data-files'),
    total_bytes: summary['total-files-size'] ?? null,
  };
}

/** The same with the numeric id and its exact twin. */
export function snapshotTwinView(snapshot: Snapshot): Static<typeof DatasetSnapshotTwin> {
  return {
    ...snapshotView(snapshot),
    snapshot_id: snapshot['snapshot-id'],
    snapshot_id_exact: snapshot['snapshot-id'].toString(),
    parent_snapshot_id_exact: snapshot['parent-snapshot-id']?.toString() ?? null,
  };
}

/** A column with its type in the table format's words. */
export function columnView(field: Field): Static<typeof DatasetColumn> {
  return { id: field.id, name: field.name, type: typeName(field.type), required: field.required };
}

function typeName(type: Field['type']): string {
  if (typeof type === 'string') return type;
  if (type.type === 'list') return `list<${typeName(type.element)}>`;
  return `struct<${type.fields.map((field) => `${field.name}: ${typeName(field.type)}`).join(', ')}>`;
}
