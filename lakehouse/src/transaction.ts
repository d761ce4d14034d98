import { randomUUID } from 'node:crypto';
import type { CommitInput, PreparedCommit } from './commit-types.ts';
import { LakehouseError } from './error.ts';
import { assertSuccessor } from './evolve-schema.ts';
import type { FileIO } from './fileio.ts';
import {
  type ManifestEntry,
  type ManifestFile,
  readManifest,
  readManifestList,
  STATUS,
  toDataFile,
  writeManifest,
  writeManifestList,
} from './manifest.ts';
import {
  currentSchema,
  findSnapshot,
  METADATA_LOG_LENGTH,
  newMetadata,
  newSnapshotId,
  nextMetadataLocation,
  type Snapshot,
  stringifyExact,
  type TableMetadata,
} from './metadata.ts';
import { snapshotSummary } from './snapshot-summary.ts';
import type { StagedFile } from './stats.ts';
import { assignFieldIds, type Column, maxFieldId, type TableSchema } from './types.ts';

/** Writes the first metadata file of a new table; the caller registers it in the catalog. */
export async function createTable(options: {
  io: FileIO;
  /** The table's own folder; no other table may use it. */
  location: string;
  columns: readonly Column[];
  properties?: Readonly<Record<string, string>>;
}): Promise<{ metadataLocation: string; metadata: TableMetadata }> {
  const { io, location, columns, properties = {} } = options;
  const metadata = newMetadata({ location, fields: assignFieldIds(columns), properties });
  const metadataLocation = nextMetadataLocation(location);
  await io.write(metadataLocation, Buffer.from(stringifyExact(metadata)));
  return { metadataLocation, metadata };
}

/**
 * A commit that adds files. It reads the manifest list only, never the manifests. An empty list of files makes no
 * snapshot; with a new schema it still makes the metadata that carries it.
 */
export function prepareAppend(input: CommitInput): Promise<PreparedCommit> {
  return prepare(input, 'append', async (draft) => ({ kept: draft.current, added: [], removed: [] }));
}

/**
 * A commit after which the table holds the given files and nothing else, in one snapshot. With no files it empties the
 * table; on a table that is empty already it makes no snapshot.
 */
export function prepareOverwrite(input: CommitInput): Promise<PreparedCommit> {
  return prepare(input, input.files.length ? 'overwrite' : 'delete', async (draft) => {
    const removed: ManifestEntry[] = [];
    const added: ManifestFile[] = [];
    for (const manifest of draft.current) {
      const entries = await readManifest(draft.io, manifest);
      const gone = entries.filter((entry) => entry.status !== STATUS.deleted);
      if (!gone.length) continue;
      const rows = gone.map((entry) => ({ ...entry, status: STATUS.deleted, snapshot_id: draft.snapshotId }));
      added.push(await draft.manifest(rows));
      removed.push(...gone);
    }
    return { kept: [], added, removed };
  });
}

type Draft = {
  readonly io: FileIO;
  readonly current: readonly ManifestFile[];
  readonly snapshotId: bigint;
  readonly manifest: (entries: readonly ManifestEntry[]) => Promise<ManifestFile>;
};
type Replaced = {
  readonly kept: readonly ManifestFile[];
  readonly added: readonly ManifestFile[];
  readonly removed: readonly ManifestEntry[];
};

function withSchema(metadata: TableMetadata, schema: TableSchema | undefined): TableMetadata {
  const current = currentSchema(metadata);
  if (!schema || JSON.stringify(schema.fields) === JSON.stringify(current.fields)) return metadata;
  assertSuccessor(current, schema);
  const id = Math.max(...metadata.schemas.map((one) => one['schema-id'])) + 1;
  return {
    ...metadata,
    schemas: [...metadata.schemas, { ...schema, 'schema-id': id }],
    'current-schema-id': id,
    'last-column-id': Math.max(metadata['last-column-id'], maxFieldId(schema.fields)),
  };
}

function withSnapshot(metadata: TableMetadata, snapshot: Snapshot): TableMetadata {
  const id = snapshot['snapshot-id'];
  return {
    ...metadata,
    'last-sequence-number': snapshot['sequence-number'],
    'current-snapshot-id': id,
    refs: { ...metadata.refs, main: { 'snapshot-id': id, type: 'branch' } },
    snapshots: [...metadata.snapshots, snapshot],
    'snapshot-log': [...metadata['snapshot-log'], { 'snapshot-id': id, 'timestamp-ms': snapshot['timestamp-ms'] }],
  };
}

function assertUnpartitioned(metadata: TableMetadata): void {
  const spec = metadata['partition-specs'].find((one) => one['spec-id'] === metadata['default-spec-id']);
  if (spec?.fields.length) {
    throw new LakehouseError('partitions_unsupported', 'Writing to a partitioned table is not supported');
  }
}

const addedEntry = (file: StagedFile, snapshotId: bigint): ManifestEntry => ({
  status: STATUS.added,
  snapshot_id: snapshotId,
  sequence_number: null,
  file_sequence_number: null,
  data_file: toDataFile(file),
});

async function prepareSnapshot(
  input: CommitInput,
  base: TableMetadata,
  operation: 'append' | 'overwrite' | 'delete',
  replace: (draft: Draft) => Promise<Replaced>,
): Promise<{ snapshot: Snapshot | undefined; written: string[] }> {
  const { io, files } = input;
  const parent = findSnapshot(base);
  const snapshotId = newSnapshotId();
  const sequenceNumber = base['last-sequence-number'] + 1n;
  const written: string[] = [];
  const manifest = async (entries: readonly ManifestEntry[]): Promise<ManifestFile> => {
    const location = `${base.location}/metadata/${randomUUID()}-m${written.length}.avro`;
    const context = { io, location, snapshotId, sequenceNumber, specId: base['default-spec-id'] };
    const row = await writeManifest({ ...context, schema: currentSchema(base) }, entries);
    written.push(location);
    return row;
  };
  const current = parent ? await readManifestList(io, parent['manifest-list']) : [];
  const { kept, added, removed } = await replace({ io, current, snapshotId, manifest });
  if (!files.length && !removed.length) return { snapshot: undefined, written };
  const fresh = files.length ? [await manifest(files.map((file) => addedEntry(file, snapshotId)))] : [];
  const manifestList = `${base.location}/metadata/snap-${snapshotId}-1-${randomUUID()}.avro`;
  const parentId = parent?.['snapshot-id'];
  await writeManifestList(io, manifestList, { id: snapshotId, parentId, sequenceNumber }, [
    ...fresh,
    ...added,
    ...kept,
  ]);
  written.push(manifestList);
  const totals = { files, removed: removed.map((entry) => entry.data_file), previous: parent?.summary };
  const snapshot: Snapshot = {
    'snapshot-id': snapshotId,
    ...(parentId === undefined ? {} : { 'parent-snapshot-id': parentId }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': Date.now(),
    'manifest-list': manifestList,
    summary: { ...input.summary, ...snapshotSummary(operation, totals) },
    'schema-id': base['current-schema-id'],
  };
  return { snapshot, written };
}

async function prepare(
  input: CommitInput,
  operation: 'append' | 'overwrite' | 'delete',
  replace: (draft: Draft) => Promise<Replaced>,
): Promise<PreparedCommit> {
  const { io, metadata, metadataLocation } = input;
  assertUnpartitioned(metadata);
  const base = withSchema(metadata, input.schema);
  const idle = operation === 'append' && input.files.length === 0;
  const { snapshot, written } = idle
    ? { snapshot: undefined, written: [] }
    : await prepareSnapshot(input, base, operation, replace);
  if (!snapshot && base === metadata) {
    const nothing = { requirements: [], updates: [] };
    return { newMetadataLocation: metadataLocation, metadata, snapshotId: undefined, written, ...nothing };
  }
  const logEntry = { 'metadata-file': metadataLocation, 'timestamp-ms': metadata['last-updated-ms'] };
  const next: TableMetadata = {
    ...(snapshot ? withSnapshot(base, snapshot) : base),
    'last-updated-ms': snapshot?.['timestamp-ms'] ?? Date.now(),
    'metadata-log': [...metadata['metadata-log'], logEntry].slice(-METADATA_LOG_LENGTH),
  };
  const newMetadataLocation = nextMetadataLocation(metadata.location, metadataLocation);
  await io.write(newMetadataLocation, Buffer.from(stringifyExact(next)));
  const all = [...written, newMetadataLocation];
  const told = { requirements: [], updates: [] };
  return { newMetadataLocation, metadata: next, snapshotId: snapshot?.['snapshot-id'], written: all, ...told };
}
