import type { PendingFile } from '../manifest/manifest-write.ts';
import { METADATA_LOG_LENGTH, nextMetadataLocation, type TableMetadata } from '../metadata/metadata.ts';
import { stringifyMetadata } from '../metadata/metadata-json.ts';
import type { Change } from './commit-base.ts';
import type { PreparedCommit, TableInput } from './commit-types.ts';

/** The table that a change makes, with the file that it was before in its log. */
function nextMetadata({ metadata, metadataLocation }: TableInput, change: Change): TableMetadata {
  const logEntry = { 'metadata-file': metadataLocation, 'timestamp-ms': metadata['last-updated-ms'] };
  const updated = change.metadata['last-updated-ms'];
  return {
    ...change.metadata,
    'last-updated-ms': updated === metadata['last-updated-ms'] ? Date.now() : updated,
    'metadata-log': [...metadata['metadata-log'], logEntry].slice(-METADATA_LOG_LENGTH),
  };
}

/**
 * Writes all files of a change at once, as nothing refers to them before the pointer moves. When one fails, those that
 * were written are removed.
 */
async function writeAll({ io }: TableInput, pending: readonly PendingFile[]): Promise<void> {
  const done = await Promise.allSettled(pending.map(({ location, bytes }) => io.write(location, bytes)));
  const failed = done.find((one) => one.status === 'rejected');
  if (!failed) return;
  await Promise.allSettled(
    pending.filter((_, at) => done[at]!.status === 'fulfilled').map((one) => io.remove(one.location)),
  );
  throw failed.reason;
}

/** Ends a change: writes its files and the table's next metadata. A change without updates writes nothing. */
export async function finishChange(
  input: TableInput,
  change: Change,
  { pending = [], snapshotId }: { pending?: readonly PendingFile[]; snapshotId?: bigint | undefined } = {},
): Promise<PreparedCommit> {
  const { requirements, updates } = change;
  const { metadata: before, metadataLocation } = input;
  if (updates.length === 0) {
    const nothing = { requirements: [], updates, written: [] };
    return { ...nothing, newMetadataLocation: metadataLocation, metadata: before, snapshotId: undefined };
  }
  const metadata = nextMetadata(input, change);
  const files = [...pending];
  let newMetadataLocation = metadataLocation;
  if (input.writeMetadata ?? true) {
    newMetadataLocation = nextMetadataLocation(metadata.location, metadataLocation);
    files.push({ location: newMetadataLocation, bytes: stringifyMetadata(metadata) });
  }
  await writeAll(input, files);
  const written = files.map((file) => file.location);
  return { newMetadataLocation, metadata, snapshotId, written, requirements, updates };
}
