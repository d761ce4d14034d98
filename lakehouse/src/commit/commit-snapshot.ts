import { randomUUID } from 'node:crypto';
import { LakehouseError } from '../error/error.ts';
import {
  CONTENT,
  type DataFile,
  type ManifestEntry,
  type ManifestFile,
  STATUS,
  snapshotManifests,
  toDataFile,
} from '../manifest/manifest.ts';
import { encodeManifest, encodeManifestList, type PendingFile } from '../manifest/manifest-write.ts';
import type { StagedFile } from '../manifest/stats.ts';
import { currentSchema, findSnapshot, newSnapshotId, type Snapshot, type TableMetadata } from '../metadata/metadata.ts';
import { MAIN_BRANCH } from '../metadata/table-update.ts';
import type { TypedPartitionField } from '../partition/partition-type.ts';
import { isUnpartitioned, partitionSpec, typedPartitionFields } from '../partition/partition-type.ts';
import { type TableFiles, tableFiles } from '../store/table-files.ts';
import { assertMain, type Change, extend } from './commit-base.ts';
import type { CommitInput } from './commit-types.ts';
import { mergeManifests } from './manifest-merge.ts';
import type { ManifestMaker, ManifestSource, Replacement, Rewritten, SnapshotDraft } from './snapshot-draft.ts';
import { snapshotSummary, type Totals, totalsOf } from './snapshot-summary.ts';

function manifestMaker(draft: SnapshotDraft, sequenceNumber: bigint): ManifestMaker {
  const { metadata, snapshotId } = draft;
  const commit = randomUUID();
  const pending: PendingFile[] = [];
  const typed = new Map<number, readonly TypedPartitionField[]>();
  const fieldsOf = (specId: number): readonly TypedPartitionField[] => {
    const fields = typed.get(specId) ?? typedPartitionFields(metadata, partitionSpec(metadata, specId));
    typed.set(specId, fields);
    return fields;
  };
  let made = 0;
  const make = ({ specId, entries }: Rewritten): ManifestFile => {
    const location = `${metadata.location}/metadata/${commit}-m${made++}.avro`;
    const spec = partitionSpec(metadata, specId);
    const context = { location, spec, fields: fieldsOf(specId), schema: currentSchema(metadata) };
    const { manifest, pending: file } = encodeManifest({ ...context, snapshotId, sequenceNumber }, entries);
    pending.push(file);
    return manifest;
  };
  const writes = (specId: number): boolean => {
    try {
      return fieldsOf(specId) !== undefined;
    } catch {
      return false;
    }
  };
  return { draft, make, writes, pending };
}

/** The spec and the manifest's form of a staged file; `partition_invalid` when its values do not go with a spec. */
function placeFile(metadata: TableMetadata, file: StagedFile): { specId: number; file: DataFile } {
  const specId = file.spec_id ?? metadata['default-spec-id'];
  const spec = metadata['partition-specs'].find((one) => one['spec-id'] === specId);
  const stated = new Set(Object.keys(file.partition ?? {}));
  const complete = spec?.fields.every((field) => field.transform === 'void' || stated.has(String(field['field-id'])));
  if (!spec || !complete || (file.spec_id === undefined && !isUnpartitioned(spec))) {
    throw new LakehouseError('partition_invalid', 'A staged file does not say its partition as the table has them');
  }
  return { specId, file: toDataFile(file) };
}

// The newest snapshot that was made here is mostly what the next one stands on. Manifest lists never change.
const made = new WeakMap<Snapshot, readonly ManifestFile[]>();

async function manifestsOf(io: TableFiles, snapshot: Snapshot): Promise<readonly ManifestFile[]> {
  const known = made.get(snapshot);
  // Only the newest is kept, as older ones live as long as the table's metadata.
  made.delete(snapshot);
  return known ?? snapshotManifests(io, snapshot);
}

/** Manifests of one bin that a rewrite joins. */
const LEAST_MERGED = 2;

/** Whether a manifest lists more than files that an earlier commit removed. */
function hasLiveFiles(manifest: ManifestFile): boolean {
  return Number(manifest.added_files_count) + Number(manifest.existing_files_count) > 0;
}

/** New files as entries of manifests, one manifest for each content and spec. */
function addedManifests(
  placed: readonly { specId: number; file: DataFile }[],
  snapshotId: bigint,
  sequenceNumber: bigint | null = null,
): readonly Rewritten[] {
  const groups = new Map<string, { specId: number; entries: ManifestEntry[] }>();
  for (const { specId, file } of placed) {
    const key = `${file.content === CONTENT.data}:${specId}`;
    const group = groups.get(key) ?? { specId, entries: [] };
    groups.set(key, group);
    const numbers = { sequence_number: sequenceNumber, file_sequence_number: null };
    group.entries.push({ status: STATUS.added, snapshot_id: snapshotId, ...numbers, data_file: file });
  }
  return [...groups.values()];
}

/**
 * The change that adds one snapshot: files come, and what `replace` decides about those that are there. When nothing
 * comes and nothing goes there is no snapshot, unless `allowEmpty` asks for one.
 */
export async function changeSnapshot(
  input: CommitInput,
  change: Change,
  replace: (draft: SnapshotDraft) => Promise<Replacement>,
): Promise<{ change: Change; pending: readonly PendingFile[]; snapshotId: bigint | undefined }> {
  const { allowEmpty = false } = input;
  const { metadata } = change;
  const io = tableFiles(input.io, metadata);
  const parent = findSnapshot(metadata);
  const snapshotId = input.snapshotId ?? newSnapshotId();
  const current = parent ? await manifestsOf(io, parent) : [];
  const draft: SnapshotDraft = { io, metadata, parent, current, snapshotId };
  const { kept, rewritten, removed, operation, rewrite } = await replace(draft);
  const files = rewrite?.files ?? input.files;
  for (const { location } of files) io.assertInside(location);
  const placed = files.map((file) => placeFile(metadata, file));
  if (!allowEmpty && placed.length === 0 && removed.length === 0) return { change, pending: [], snapshotId: undefined };
  if (metadata.snapshots.some((one) => one['snapshot-id'] === snapshotId)) {
    throw new LakehouseError('base_moved', 'The table has a snapshot of this id');
  }

  const sequenceNumber = metadata['last-sequence-number'] + 1n;
  const maker = manifestMaker(draft, sequenceNumber);
  const sources: ManifestSource[] = [
    ...addedManifests(placed, snapshotId, rewrite?.sequenceNumber),
    ...rewritten,
    ...kept.filter(hasLiveFiles).map((manifest) => ({ manifest })),
  ];
  // A rewrite tidies the manifests as well: it has read most of them.
  const manifests = await mergeManifests(maker, sources, rewrite && LEAST_MERGED);
  const listLocation = `${metadata.location}/metadata/snap-${snapshotId}-1-${randomUUID()}.avro`;
  const parentId = parent?.['snapshot-id'];
  const list = encodeManifestList(listLocation, { id: snapshotId, parentId, sequenceNumber }, manifests);
  const previous: Totals = await totalsOf(draft);
  const snapshot: Snapshot = {
    'snapshot-id': snapshotId,
    ...(parentId === undefined ? {} : { 'parent-snapshot-id': parentId }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': Math.max(Date.now(), parent?.['timestamp-ms'] ?? 0),
    'manifest-list': listLocation,
    summary: { ...input.summary, ...snapshotSummary(operation, { added: placed, removed, previous }) },
    'schema-id': metadata['current-schema-id'],
  };
  made.set(snapshot, manifests);
  const next = extend(
    change,
    [
      { action: 'add-snapshot', snapshot },
      { action: 'set-snapshot-ref', 'ref-name': MAIN_BRANCH, type: 'branch', 'snapshot-id': snapshotId },
    ],
    [assertMain(metadata)],
  );
  return { change: next, pending: [...maker.pending, list], snapshotId };
}
