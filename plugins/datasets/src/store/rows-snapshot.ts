import type { Snapshot, TableMetadata } from '@weir/lakehouse';

/** The newest snapshot up to this one that is no replacement of files by files with the same rows, as far as the table knows. */
export function rowsSnapshotOf({ snapshots }: TableMetadata, snapshot: Snapshot | undefined): string | null {
  const byId = new Map(snapshots.map((one) => [one['snapshot-id'], one]));
  let found = snapshot;
  while (found?.summary?.operation === 'replace') {
    const parent = found['parent-snapshot-id'];
    const before = parent === undefined ? undefined : byId.get(parent);
    if (before === undefined) break;
    found = before;
  }
  return found === undefined ? null : String(found['snapshot-id']);
}
