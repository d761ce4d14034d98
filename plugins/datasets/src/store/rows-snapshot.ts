import type { Snapshot, TableMetadata } from '@weir/lakehouse';

/** This snapshot and those before it with the same rows, as far as the table knows: files may be replaced by files with the same rows. */
export function sameRows({ snapshots }: TableMetadata, snapshot: Snapshot | undefined): Snapshot[] {
  const byId = new Map(snapshots.map((one) => [one['snapshot-id'], one]));
  const found: Snapshot[] = [];
  for (let one = snapshot; one !== undefined; ) {
    found.push(one);
    const parent = one.summary?.operation === 'replace' ? one['parent-snapshot-id'] : undefined;
    one = parent === undefined ? undefined : byId.get(parent);
  }
  return found;
}

/** The newest snapshot up to this one that is no such replacement; null for a table without rows. */
export function rowsSnapshotOf(metadata: TableMetadata, snapshot: Snapshot | undefined): string | null {
  const last = sameRows(metadata, snapshot).at(-1);
  return last === undefined ? null : String(last['snapshot-id']);
}
