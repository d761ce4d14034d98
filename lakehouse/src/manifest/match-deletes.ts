import type { TableMetadata } from '../metadata/metadata.ts';
import { partitionKeys } from '../partition/partition-key.ts';
import { isUnpartitioned, partitionSpec } from '../partition/partition-type.ts';
import { toLocation } from '../store/fileio.ts';
import type { DeleteFile } from './live-file.ts';
import { CONTENT, type ColumnMap, type DataFile, type ManifestEntry } from './manifest.ts';

/** The id of the column `file_path` of position delete files, reserved by the specification. */
export const DELETED_PATH_ID = 2147483546;

/** A file of a manifest and where it stands: what decides which deletes go with which data. */
export type PlacedFile = { readonly entry: ManifestEntry; readonly specId: number };

/** Finds the delete files that may take rows of a data file. */
export type DeleteMatcher = (data: PlacedFile) => readonly DeleteFile[];

/** A delete file as it is looked up. */
type Candidate = {
  readonly file: DeleteFile;
  /** The paths that it names lie between these, as far as its writer said. */
  readonly lower: string | undefined;
  readonly upper: string | undefined;
};

const NONE: readonly DeleteFile[] = [];

/**
 * Matches delete files with data files by the rules of the Iceberg specification ("Scan planning"): position deletes
 * take rows of files that are not newer than they, of the same partition or, when they name one file alone, of that
 * file; equality deletes take rows of older files, of the same partition or, when their own spec has none, of any.
 */
export function deleteMatcher(deletes: readonly PlacedFile[], metadata: TableMetadata): DeleteMatcher {
  if (deletes.length === 0) return () => NONE;
  const keyOf = partitionKeys(metadata);
  const byPath = new Map<string, Candidate[]>();
  const byPartition = new Map<string, Candidate[]>();
  const everywhere: Candidate[] = [];
  for (const { entry, specId } of deletes) {
    const key = keyOf(specId, entry.data_file.partition);
    const isLimited = !isUnpartitioned(partitionSpec(metadata, specId));
    const candidate = candidateOf(entry, isLimited ? key : undefined);
    const path = namedFile(entry.data_file, candidate);
    if (path !== undefined) append(byPath, path, candidate);
    else if (candidate.file.content === 'equality_deletes' && !isLimited) everywhere.push(candidate);
    else append(byPartition, key, candidate);
  }
  return ({ entry, specId }) => {
    const path = sameSpelling(entry.data_file.file_path);
    const sequence = entry.sequence_number ?? 0n;
    const ofPartition = byPartition.get(keyOf(specId, entry.data_file.partition));
    return [...(byPath.get(path) ?? []), ...(ofPartition ?? []), ...everywhere]
      .filter(({ file, lower, upper }) => {
        if (file.content === 'equality_deletes') return sequence < file.sequenceNumber;
        const within = (lower === undefined || lower <= path) && (upper === undefined || path <= upper);
        return within && sequence <= file.sequenceNumber;
      })
      .map(({ file }) => file);
  };
}

/** A location in the spelling by which locations are compared; one that names nothing known stays as it is. */
export function sameSpelling(location: string): string {
  try {
    return toLocation(location);
  } catch {
    return location;
  }
}

function append<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function candidateOf(entry: ManifestEntry, partitionKey: string | undefined): Candidate {
  const { data_file: file, sequence_number: sequence } = entry;
  const content = file.content === CONTENT.positionDeletes ? 'position_deletes' : 'equality_deletes';
  const bound = (bounds: ColumnMap<Buffer>): string | undefined => {
    const found = bounds?.find(({ key }) => key === DELETED_PATH_ID)?.value;
    return found === undefined ? undefined : sameSpelling(found.toString('utf8'));
  };
  const ids = file.equality_ids as readonly number[] | null | undefined;
  return {
    file: {
      location: file.file_path,
      content,
      recordCount: file.record_count,
      sizeBytes: file.file_size_in_bytes,
      sequenceNumber: sequence ?? 0n,
      ...(content === 'equality_deletes' ? { equalityIds: ids ?? [] } : {}),
      ...(content === 'equality_deletes' && partitionKey !== undefined ? { partitionKey } : {}),
    },
    lower: bound((file.lower_bounds ?? null) as ColumnMap<Buffer>),
    upper: bound((file.upper_bounds ?? null) as ColumnMap<Buffer>),
  };
}

/** The one data file that all rows of a position delete file name. Bounds that were cut short are never equal. */
function namedFile(file: DataFile, { lower, upper }: Candidate): string | undefined {
  if (file.content !== CONTENT.positionDeletes) return undefined;
  if (typeof file.referenced_data_file === 'string') return sameSpelling(file.referenced_data_file);
  return lower !== undefined && lower === upper ? lower : undefined;
}
