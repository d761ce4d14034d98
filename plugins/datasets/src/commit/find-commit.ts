import type { FoundTable } from '@weir/engine';
import { mainLine, type Scanner, type Snapshot, type TableMetadata, toLocation } from '@weir/lakehouse';
import { datasetProblems, type TableCommit } from '../contract.ts';

/** What the table says of a commit: whether it carries its id, and which commit of the stream is its newest. */
export async function findCommit(
  scanner: Pick<Scanner, 'files'>,
  metadata: TableMetadata,
  { id, commit }: { id: string; commit: TableCommit },
): Promise<FoundTable> {
  const line = mainLine(metadata);
  const snapshot = line.find(({ summary }) => summary['weir.commit-id'] === id);
  return {
    snapshotId: metadata['current-snapshot-id']?.toString() ?? null,
    settled: snapshot && {
      snapshotId: String(snapshot['snapshot-id']),
      sameFiles: await addedJust(scanner, metadata, { snapshot, commit }),
    },
    newest: newestIn(line, commit.streamId)?.summary['weir.commit-id'] ?? null,
  };
}

/** The newest snapshot on the table's main line that a stream has made. */
export function newestOf(metadata: TableMetadata, streamId: string): Snapshot | undefined {
  return newestIn(mainLine(metadata), streamId);
}

function newestIn(line: readonly Snapshot[], streamId: string): Snapshot | undefined {
  return line.find(({ summary }) => summary['weir.stream-id'] === streamId);
}

/** The run that was the last to replace all rows of the table, as far as its snapshots are kept. */
export function replacedBy(metadata: TableMetadata): string | undefined {
  return mainLine(metadata).find(({ summary }) => summary['weir.mode'] === 'overwrite')?.summary['weir.run-id'];
}

/** Whether the snapshot added exactly these files. */
async function addedJust(
  scanner: Pick<Scanner, 'files'>,
  metadata: TableMetadata,
  { snapshot, commit }: { snapshot: Snapshot; commit: TableCommit },
): Promise<boolean> {
  const snapshotId = snapshot['snapshot-id'];
  const added = (await scanner.files(metadata, snapshotId)).flatMap((file) => [
    ...(file.snapshotId === snapshotId ? [file.location] : []),
    ...file.deletes
      .filter(({ sequenceNumber }) => sequenceNumber === snapshot['sequence-number'])
      .map((one) => one.location),
  ]);
  const before = new Set(added.map(toLocation));
  const now = new Set(commit.files.map(placeOf));
  return before.size === now.size && [...now].every((place) => before.has(place));
}

function placeOf(file: object): string {
  const { location } = file as { location?: unknown };
  if (typeof location !== 'string') throw datasetProblems.stagedFileRefused();
  return toLocation(location);
}
