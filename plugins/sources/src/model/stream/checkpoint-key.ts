import type { StreamRow } from './entity.ts';

/**
 * Under which the state of a stream is stored with its rows: the stream and its table together, so that a stream which is
 * routed elsewhere starts there from nothing, and its generation, so that one which was reset does too.
 */
export function checkpointKey({
  streamId,
  destinationTable,
  generation,
}: Pick<StreamRow, 'streamId' | 'destinationTable' | 'generation'>): string {
  const place = `${streamId}/${destinationTable}`;
  return generation === 1 ? place : `${place}/${generation}`;
}
