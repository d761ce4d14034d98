import type { LiveFile } from '../src/index.ts';

/** A data file of which nothing special is known but what is given. */
export function liveFile(known: Partial<LiveFile>): LiveFile {
  return {
    location: 'file:///f',
    recordCount: 1n,
    sizeBytes: 1n,
    snapshotId: 1n,
    sequenceNumber: 1n,
    specId: 0,
    partition: {},
    partitionKey: '',
    deletes: [],
    figures: { nulls: null, lower: null, upper: null },
    ...known,
  };
}
