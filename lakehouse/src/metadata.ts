import { randomBytes, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { LakehouseError } from './error.ts';
import type { FileIO } from './fileio.ts';
import type { PartitionSpec } from './partition-spec.ts';
import { type Field, maxFieldId, type TableSchema } from './types.ts';

export type Snapshot = {
  readonly 'snapshot-id': bigint;
  readonly 'parent-snapshot-id'?: bigint;
  readonly 'sequence-number': bigint;
  readonly 'timestamp-ms': number;
  readonly 'manifest-list': string;
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
const FORMAT_VERSION = 2;
/** The id below the first partition field, by the specification. */
const LAST_UNPARTITIONED_ID = 999;

// Ids and sequence numbers are always bigint, whatever their size, so that no code meets them as two types.
const isLongMember = (key: string): boolean => /(^|-)(snapshot-id|sequence-number)$/.test(key);

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** JSON text in which every bigint is a plain integer, digit for digit. */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(member.toString()) : member,
  );
}

/** Parses JSON; an integer that a double cannot hold, and every snapshot id or sequence number, becomes a bigint. */
export function parseExact(text: string): unknown {
  const reviver = (key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number' || !context?.source || !/^-?\d+$/.test(context.source)) return value;
    return isLongMember(key) || !Number.isSafeInteger(value) ? BigInt(context.source) : value;
  };
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

/** Reads a metadata file, gzip included; `metadata_invalid` when it is none of format version 2. */
export async function readMetadata(io: FileIO, location: string): Promise<TableMetadata> {
  const bytes = await io.read(location);
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  let metadata: Partial<TableMetadata>;
  try {
    metadata = parseExact((zipped ? gunzipSync(bytes) : bytes).toString('utf8')) as Partial<TableMetadata>;
  } catch (error) {
    throw new LakehouseError('metadata_invalid', 'A table metadata file is not readable', { cause: error });
  }
  if (metadata?.['format-version'] !== FORMAT_VERSION || !Array.isArray(metadata.schemas)) {
    throw new LakehouseError('metadata_invalid', 'Only tables of format version 2 are supported');
  }
  // -1 was an early way of saying that a table has no snapshot.
  if (metadata['current-snapshot-id'] === -1n || metadata['current-snapshot-id'] === null) {
    const { 'current-snapshot-id': _none, ...rest } = metadata;
    metadata = rest;
  }
  return {
    refs: {},
    snapshots: [],
    'snapshot-log': [],
    'metadata-log': [],
    properties: {},
    ...metadata,
  } as TableMetadata;
}

/** The metadata of a new, empty, unpartitioned table. */
export function newMetadata(options: {
  location: string;
  fields: readonly Field[];
  properties: Readonly<Record<string, string>>;
}): TableMetadata {
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
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
    'last-partition-id': LAST_UNPARTITIONED_ID,
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
