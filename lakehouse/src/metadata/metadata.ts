import { randomBytes, randomUUID } from 'node:crypto';
import { LakehouseError } from '../error/error.ts';
import type { PartitionSpec } from '../partition/partition-spec.ts';
import type { TableSchema } from '../schema/types.ts';

export type Snapshot = {
  readonly 'snapshot-id': bigint;
  readonly 'parent-snapshot-id'?: bigint;
  readonly 'sequence-number': bigint;
  readonly 'timestamp-ms': number;
  /** Absent only where a snapshot of format version 1 names its manifests itself. */
  readonly 'manifest-list'?: string;
  readonly manifests?: readonly string[];
  readonly summary: Readonly<Record<string, string>>;
  readonly 'schema-id'?: number;
};

/** Table metadata of format version 2; members that this library does not know are carried along unchanged. */
export type TableMetadata = {
  readonly 'format-version': number;
  readonly 'table-uuid': string;
  readonly location: string;
  readonly 'last-sequence-number': bigint;
  readonly 'last-updated-ms': number;
  readonly 'last-column-id': number;
  readonly 'current-schema-id': number;
  readonly schemas: readonly TableSchema[];
  readonly 'default-spec-id': number;
  readonly 'partition-specs': readonly PartitionSpec[];
  readonly 'last-partition-id': number;
  readonly 'default-sort-order-id': number;
  readonly 'sort-orders': readonly unknown[];
  readonly properties: Readonly<Record<string, string>>;
  readonly 'current-snapshot-id'?: bigint;
  readonly refs: Readonly<Record<string, { readonly 'snapshot-id': bigint; readonly type: string }>>;
  readonly snapshots: readonly Snapshot[];
  readonly 'snapshot-log': readonly { readonly 'snapshot-id': bigint; readonly 'timestamp-ms': number }[];
  readonly 'metadata-log': readonly { readonly 'metadata-file': string; readonly 'timestamp-ms': number }[];
  readonly [member: string]: unknown;
};

/** Metadata files that a table has at most, the newest and those in its log. */
export const METADATA_FILES = 20;
/** Entries that the log of earlier metadata files keeps. */
export const METADATA_LOG_LENGTH = METADATA_FILES - 1;
/** The version that this library writes; it reads version 1 as well. */
export const FORMAT_VERSION = 2;

/** The location of the metadata file that follows one, or of the first; its number is one higher. */
export function nextMetadataLocation(tableLocation: string, previous?: string): string {
  const number = previous === undefined ? 0 : Number(/\/v?(\d+)[^/]*$/.exec(previous)?.[1] ?? -1) + 1;
  return `${tableLocation}/metadata/${String(number).padStart(5, '0')}-${randomUUID()}.metadata.json`;
}

/** A random positive 63-bit id. */
export function newSnapshotId(): bigint {
  return BigInt.asUintN(63, randomBytes(8).readBigUInt64BE()) || 1n;
}

/** The schema that the table has now. */
export function currentSchema(metadata: TableMetadata): TableSchema {
  const schema = metadata.schemas.find((one) => one['schema-id'] === metadata['current-schema-id']);
  if (!schema) throw new LakehouseError('metadata_invalid', 'A table metadata file names no current schema');
  return schema;
}

/** The newest snapshot or the one of an id; undefined for a table without snapshots, `snapshot_missing` for a gone id. */
export function findSnapshot(metadata: TableMetadata, snapshotId?: bigint | string): Snapshot | undefined {
  const wanted = snapshotId === undefined ? metadata['current-snapshot-id'] : BigInt(snapshotId);
  if (wanted === undefined) return undefined;
  const snapshot = metadata.snapshots.find((one) => one['snapshot-id'] === wanted);
  if (!snapshot) throw new LakehouseError('snapshot_missing', 'The table has no such snapshot');
  return snapshot;
}
