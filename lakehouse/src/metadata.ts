import { randomBytes, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { LakehouseError } from './error.ts';
import type { FileIO } from './fileio.ts';
import { parseExact } from './metadata-json.ts';
import { completeMetadata } from './metadata-versions.ts';
import { LAST_UNPARTITIONED_ID, newPartitionSpec } from './partition-by.ts';
import type { PartitionBy, PartitionSpec } from './partition-spec.ts';
import { type Field, maxFieldId, type TableSchema } from './types.ts';

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

/** Entries that the log of earlier metadata files keeps. */
export const METADATA_LOG_LENGTH = 100;
/** The version that this library writes; it reads version 1 as well. */
export const FORMAT_VERSION = 2;
/** The most that a packed metadata file may hold. */
const MAX_METADATA_BYTES = 512 * 1024 * 1024;

/**
 * Reads a metadata file, gzip included; `metadata_invalid` when it is none of format version 1 or 2. What version 1
 * says in other members, or not at all, stands in those of version 2.
 */
export async function readMetadata(io: FileIO, location: string): Promise<TableMetadata> {
  const bytes = await io.read(location);
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  let read: unknown;
  try {
    const text = (zipped ? gunzipSync(bytes, { maxOutputLength: MAX_METADATA_BYTES }) : bytes).toString('utf8');
    read = parseExact(text);
  } catch (error) {
    throw new LakehouseError('metadata_invalid', 'A table metadata file is not readable', { cause: error });
  }
  return completeMetadata(read);
}

/** The metadata of a new, empty table. */
export function newMetadata(options: {
  location: string;
  fields: readonly Field[];
  partitionBy?: PartitionBy;
  properties: Readonly<Record<string, string>>;
}): TableMetadata {
  const spec = newPartitionSpec({ fields: options.fields, partitionBy: options.partitionBy ?? [], specId: 0 });
  return {
    'format-version': FORMAT_VERSION,
    'table-uuid': randomUUID(),
    location: options.location,
    'last-sequence-number': 0n,
    'last-updated-ms': Date.now(),
    'last-column-id': maxFieldId(options.fields),
    'current-schema-id': 0,
    schemas: [{ type: 'struct', 'schema-id': 0, fields: options.fields }],
    'default-spec-id': 0,
    'partition-specs': [spec],
    'last-partition-id': LAST_UNPARTITIONED_ID + spec.fields.length,
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    properties: options.properties,
    refs: {},
    snapshots: [],
    'snapshot-log': [],
    'metadata-log': [],
    statistics: [],
  };
}

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
