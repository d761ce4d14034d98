import { CONTENT, type DataFile } from './manifest.ts';
import type { StagedFile } from './stats.ts';

/** What a commit adds and removes, and the summary of the snapshot before it. */
export type SnapshotChange = {
  readonly files: readonly StagedFile[];
  readonly removed: readonly DataFile[];
  readonly previous: Readonly<Record<string, string>> | undefined;
};

/** The standard counters of a snapshot's summary, with the names that the specification lists. */
export function snapshotSummary(operation: string, change: SnapshotChange): Record<string, string> {
  const { files, removed, previous } = change;
  const total = (key: string): bigint => BigInt(previous?.[key] ?? '0');
  const sum = (values: readonly bigint[]): bigint => values.reduce((all, one) => all + one, 0n);
  const removedData = removed.filter((file) => file.content === CONTENT.data);
  const added = {
    files: BigInt(files.length),
    records: sum(files.map((file) => BigInt(file.record_count))),
    size: sum(files.map((file) => BigInt(file.file_size_in_bytes))),
  };
  const gone = {
    files: BigInt(removedData.length),
    records: sum(removedData.map((file) => file.record_count)),
    size: sum(removed.map((file) => file.file_size_in_bytes)),
  };
  // A commit that removes anything removes everything, so no delete file outlives it.
  const deletes = (key: string): string => String(removed.length ? 0n : total(key));
  return {
    operation,
    ...(files.length && {
      'added-data-files': String(added.files),
      'added-records': String(added.records),
      'added-files-size': String(added.size),
    }),
    ...(removed.length && {
      'deleted-data-files': String(gone.files),
      'deleted-records': String(gone.records),
      'removed-files-size': String(gone.size),
    }),
    'total-data-files': String(total('total-data-files') + added.files - gone.files),
    'total-records': String(total('total-records') + added.records - gone.records),
    'total-files-size': String(total('total-files-size') + added.size - gone.size),
    'total-delete-files': deletes('total-delete-files'),
    'total-position-deletes': deletes('total-position-deletes'),
    'total-equality-deletes': deletes('total-equality-deletes'),
  };
}
