import { LakehouseError } from '../error/error.ts';
import { type DataFile, toPartition } from '../manifest/manifest.ts';
import { sameSpelling } from '../manifest/match-deletes.ts';
import { nextMetadataLocation, type TableMetadata } from '../metadata/metadata.ts';
import { stringifyMetadata } from '../metadata/metadata-json.ts';
import { newMetadata } from '../metadata/new-metadata.ts';
import type { Partition } from '../partition/partition-avro.ts';
import { partitionKeys } from '../partition/partition-key.ts';
import type { PartitionBy } from '../partition/partition-spec.ts';
import { partitionSpec } from '../partition/partition-type.ts';
import { assignFieldIds, type Column } from '../schema/types.ts';
import type { FileIO } from '../store/fileio.ts';
import { beginChange, type Change, changeSpec, growSchema, replaceSchema } from './commit-base.ts';
import { finishChange } from './commit-finish.ts';
import { removeFiles } from './commit-replace.ts';
import { changeSnapshot } from './commit-snapshot.ts';
import type { CommitInput, OverwriteInput, PreparedCommit, ReplaceInput, RowDeltaInput } from './commit-types.ts';
import type { Operation, Replacement, SnapshotDraft } from './snapshot-draft.ts';

type TableOptions = {
  /** The table's own folder; no other table may use it. */
  location: string;
  columns: readonly Column[];
  partitionBy?: PartitionBy;
  properties?: Readonly<Record<string, string>>;
};
type NewTable = { metadataLocation: string; metadata: TableMetadata };

/** A new table and where its first metadata file goes; nothing is written. */
export function draftTable({ location, columns, partitionBy = [], properties = {} }: TableOptions): NewTable {
  const metadata = newMetadata({ location, fields: assignFieldIds(columns), partitionBy, properties });
  return { metadata, metadataLocation: nextMetadataLocation(location) };
}

/** Writes the first metadata file of a new table; the caller registers it in the catalog. */
export async function createTable({ io, ...options }: TableOptions & { io: FileIO }): Promise<NewTable> {
  const table = draftTable(options);
  await io.write(table.metadataLocation, stringifyMetadata(table.metadata));
  return table;
}

async function commitSnapshot(
  input: CommitInput,
  replace: (draft: SnapshotDraft) => Promise<Replacement>,
  toSchema: (begun: Change) => Change = (begun) => growSchema(begun, input.schema),
): Promise<PreparedCommit> {
  const begun = beginChange(input);
  const grown = toSchema(begun);
  const { change, pending, snapshotId } = await changeSnapshot(input, grown, replace);
  // A new format version alone is no reason for a commit.
  const idle = snapshotId === undefined && grown === begun;
  return finishChange(input, idle ? { ...change, updates: [] } : change, { pending, snapshotId });
}

/**
 * A commit that adds files. It reads the manifest list only, and manifests when it is their time to be merged. An
 * empty list of files makes no snapshot; with a new schema it still makes the metadata that carries it.
 */
export function prepareAppend(input: CommitInput): Promise<PreparedCommit> {
  return commitSnapshot(input, async ({ current }) => ({
    operation: 'append',
    kept: current,
    rewritten: [],
    removed: [],
  }));
}

/**
 * A commit after which the table, or each of the given partitions of it, holds the given files and nothing else, in one
 * snapshot. With no files it empties them; where they are empty already it makes no snapshot. Partitions are those of
 * the default spec: while files of another spec are live they cannot be told apart (`partitions_unsupported`).
 */
export function prepareOverwrite(input: OverwriteInput): Promise<PreparedCommit> {
  const operation: Operation = input.files.length ? 'overwrite' : 'delete';
  const { partitions, metadata } = input;
  if (!partitions) return commitSnapshot(input, (draft) => removeFiles(draft, operation, () => true));
  const specId = metadata['default-spec-id'];
  const keyOf = partitionKeys(metadata);
  const whole = (values: Partition): Partition =>
    Object.fromEntries(partitionSpec(metadata).fields.map(({ 'field-id': id }) => [id, values[id] ?? null]));
  const wanted = new Set(partitions.map((values) => keyOf(specId, whole(toPartition(values)))));
  const goes = (file: DataFile, fileSpecId: number): boolean => {
    if (fileSpecId !== specId) {
      throw new LakehouseError('partitions_unsupported', 'The table has files of another partitioning');
    }
    return wanted.has(keyOf(specId, whole(file.partition)));
  };
  return commitSnapshot(input, (draft) => removeFiles(draft, operation, goes));
}

/**
 * As `prepareOverwrite` of the whole table, under another schema or spec, in one metadata file. Earlier snapshots keep
 * theirs. What was planned for another state of the table is `schema_conflict`.
 */
export function prepareReplace(input: ReplaceInput): Promise<PreparedCommit> {
  const { schema, spec, ...commit } = input;
  const operation: Operation = input.files.length ? 'overwrite' : 'delete';
  const all = (draft: SnapshotDraft): Promise<Replacement> => removeFiles(draft, operation, () => true);
  return commitSnapshot(commit, all, (begun) => {
    const typed = schema === undefined ? begun : replaceSchema(begun, schema);
    return spec === undefined ? typed : changeSpec(typed, spec);
  });
}

/**
 * A commit that adds data and delete files and takes out data files which others replace. The positions of deletes
 * hold for the files of one snapshot, so the table must still be at it: another one is `base_moved`.
 */
export async function prepareRowDelta(input: RowDeltaInput): Promise<PreparedCommit> {
  const moved = (): LakehouseError => new LakehouseError('base_moved', 'The table changed since the deletes were made');
  if (input.metadata['current-snapshot-id'] !== input.baseSnapshotId) throw moved();
  const removed = new Set(input.removed.map(sameSpelling));
  const adds = { rows: false, deletes: false };
  for (const { content } of input.files) adds[content === 'position_deletes' ? 'deletes' : 'rows'] = true;
  const deletesOnly = !adds.rows && (adds.deletes || removed.size > 0);
  const appendsOnly = adds.rows && !adds.deletes && removed.size === 0;
  const operation: Operation = deletesOnly ? 'delete' : appendsOnly ? 'append' : 'overwrite';
  return commitSnapshot(input, async (draft) => {
    if (removed.size === 0) return { operation, kept: draft.current, rewritten: [], removed: [] };
    const found = new Set<string>();
    const goes = (file: DataFile): boolean => {
      const location = sameSpelling(file.file_path);
      if (removed.has(location)) found.add(location);
      return removed.has(location);
    };
    const replacement = await removeFiles(draft, operation, goes);
    if (found.size < removed.size) throw moved();
    return replacement;
  });
}
