import { LakehouseError } from '../error/error.ts';
import type { TableRequirement } from '../metadata/table-update.ts';
import { beginChange, extend } from './commit-base.ts';
import { finishChange } from './commit-finish.ts';
import type { PreparedCommit, TableInput } from './commit-types.ts';

/**
 * A commit that drops snapshots and changes no row. One that a branch or tag names is `snapshot_missing`. The files that only
 * they needed are for the caller to remove, once the commit stands.
 */
export function prepareExpire(
  input: TableInput & { readonly snapshotIds: readonly bigint[] },
): Promise<PreparedCommit> {
  const { metadata, snapshotIds } = input;
  const begun = beginChange(input);
  if (snapshotIds.length === 0) return finishChange(input, { ...begun, updates: [] });
  const refs = Object.entries(metadata.refs);
  if (refs.some(([, ref]) => snapshotIds.includes(ref['snapshot-id']))) {
    throw new LakehouseError('snapshot_missing', 'A branch or tag would name no snapshot');
  }
  const requirements = refs.map(
    ([ref, { 'snapshot-id': id }]): TableRequirement => ({ type: 'assert-ref-snapshot-id', ref, 'snapshot-id': id }),
  );
  const update = { action: 'remove-snapshots' as const, 'snapshot-ids': snapshotIds };
  return finishChange(input, extend(begun, [update], requirements));
}
