import type { Tenant } from '@weir/kernel';
import { outdatedMetadata } from '@weir/lakehouse';
import type { TableDeps } from '../store/table-store.ts';
import type { TableDraft } from './draft-table.ts';
import { leaveStaged } from './staged-files.ts';

/** Files that one commit removes at one time. */
const REMOVED_AT_ONCE = 16;

/** The metadata files that nothing names any more once the draft stands. */
export function outdatedBy({ from, prepared }: Pick<TableDraft, 'from' | 'prepared'>): string[] {
  const { metadata, newMetadataLocation: metadataLocation } = prepared;
  return outdatedMetadata(from, { metadata, metadataLocation });
}

/** Removes files of the ledger that no table names any more. It never throws: what is left is for the sweep. */
export async function removeListed(
  { io, kernel }: Pick<TableDeps, 'io' | 'kernel'>,
  tenant: Tenant,
  locations: readonly string[],
): Promise<void> {
  if (locations.length === 0) return;
  try {
    for (let at = 0; at < locations.length; at += REMOVED_AT_ONCE) {
      await Promise.all(locations.slice(at, at + REMOVED_AT_ONCE).map((location) => io.remove(location)));
    }
    await kernel.db(tenant).transaction((tx) => leaveStaged(tx, locations));
  } catch (err) {
    kernel.log.warn({ err }, 'files that no table names any more were not removed');
  }
}
