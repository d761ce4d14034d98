import type { Checkpoint } from '@weir/plugin-datasets/contract';
import type { StreamRow } from '../stream/entity.ts';
import { keyOf } from '../stream/needed-columns.ts';

/** What becomes of the rows that are there, by the modes of the stream and by what the last sync has left. */
export function howToWrite(row: StreamRow, checkpoint: Checkpoint | undefined) {
  const full = row.syncMode === 'full_refresh';
  // What a full refresh has put there is read again by the first incremental sync, so that sync takes its place.
  const afterOverwrite = !full && checkpoint?.state == null && checkpoint?.counters.overwrote === 1;
  const afterReset = checkpoint === undefined && row.resetTable === row.destinationTable;
  return {
    replaces: (full && row.writeMode === 'overwrite') || afterOverwrite || afterReset,
    atEnd: full || afterOverwrite || afterReset,
    merges: keyOf(row) !== undefined,
    marksMissing: full && row.writeMode === 'soft_delete',
  };
}
