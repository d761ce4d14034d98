import { toLocation } from '../store/fileio.ts';
import type { TableMetadata } from './metadata.ts';

type At = { readonly metadata: TableMetadata; readonly metadataLocation: string };

/**
 * The metadata files of a table that a commit takes out of the log, and that nothing names any more once it stands. Only
 * files below the table's own folder; a location that we cannot read is left alone. Pure.
 */
export function outdatedMetadata(from: At, to: At): string[] {
  const logged = ({ metadata }: At) => metadata['metadata-log'].map((earlier) => earlier['metadata-file']);
  const kept = new Set([to.metadataLocation, from.metadataLocation, ...logged(to)].map(placeOf));
  const folder = `${toLocation(from.metadata.location)}/metadata/`;
  const gone = logged(from).flatMap((location) => placeOf(location) ?? []);
  return [...new Set(gone)].filter((place) => place.startsWith(folder) && !kept.has(place));
}

function placeOf(location: string): string | undefined {
  try {
    return toLocation(location);
  } catch {
    return undefined;
  }
}
