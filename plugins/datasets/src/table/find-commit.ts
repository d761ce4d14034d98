import { findSnapshot, localPath, type Scanner, type Snapshot, type TableMetadata } from '@weir/lakehouse';
import { datasetProblems, type TableCommit } from '../contract.ts';

/**
 * The snapshot on the table's main line that carries the commit id and added exactly these files. The id with other
 * files is `commit_id_reused`: a commit id settles the outcome of the same staged files only.
 */
export async function findCommit(
  scanner: Scanner,
  metadata: TableMetadata,
  { id, commit }: { id: string; commit: TableCommit },
): Promise<bigint | undefined> {
  const snapshot = ancestry(metadata).find(({ summary }) => summary['weir.commit-id'] === id);
  if (snapshot === undefined) return undefined;
  const snapshotId = snapshot['snapshot-id'];
  const added = (await scanner.files(metadata, snapshotId)).filter((file) => file.snapshotId === snapshotId);
  const before = new Set(added.map((file) => localPath(file.location)));
  const now = new Set(commit.files.map((file) => placeOf(file)));
  if (before.size !== now.size || [...now].some((place) => !before.has(place))) throw datasetProblems.commitIdReused();
  return snapshotId;
}

/** The current snapshot and its parents, newest first, as far as they are kept. */
function ancestry(metadata: TableMetadata): Snapshot[] {
  const byId = new Map(metadata.snapshots.map((snapshot) => [snapshot['snapshot-id'], snapshot]));
  const line: Snapshot[] = [];
  for (let at = findSnapshot(metadata); at !== undefined; ) {
    line.push(at);
    const parent = at['parent-snapshot-id'];
    at = parent === undefined ? undefined : byId.get(parent);
  }
  return line;
}

function placeOf(file: object): string {
  const { location } = file as { location?: unknown };
  if (typeof location !== 'string') throw datasetProblems.stagedFileRefused();
  return localPath(location);
}
