import { LakehouseError } from './error.ts';
import type { FileIO } from './fileio.ts';
import { createLru } from './lru.ts';
import {
  CONTENT,
  type ColumnMap,
  type DataFile,
  type ManifestEntry,
  type ManifestFile,
  readManifest,
  readManifestList,
  STATUS,
} from './manifest.ts';
import { findSnapshot, readMetadata, type TableMetadata } from './metadata.ts';

/** A data file that a snapshot holds. */
export type LiveFile = {
  readonly location: string;
  readonly recordCount: bigint;
  readonly sizeBytes: bigint;
  /** The snapshot that added it. */
  readonly snapshotId: bigint;
  /** What its writer said of its columns. */
  readonly figures: FileFigures;
};

/** Figures by field id, each as far as the writer gave it; bounds are in the format's single-value encoding. */
export type FileFigures = {
  readonly nulls: ColumnMap<bigint>;
  readonly lower: ColumnMap<Buffer>;
  readonly upper: ColumnMap<Buffer>;
};

export type Scanner = ReturnType<typeof createScanner>;

/** Manifest entries, manifests of lists, and snapshots of metadata files that a scanner keeps in memory, together. */
const CACHED_ENTRIES = 100_000;

/** Finds the files of snapshots. Metadata, manifest lists and manifests are immutable, so they are cached by location. */
export function createScanner({ io, cachedEntries = CACHED_ENTRIES }: { io: FileIO; cachedEntries?: number }) {
  const cache = createLru<unknown>(cachedEntries);
  const cached = async <T>(location: string, read: () => Promise<T>, weight: (value: T) => number): Promise<T> => {
    const known = cache.get(location) as T | undefined;
    if (known !== undefined) return known;
    const value = await read();
    cache.set(location, value, 1 + weight(value));
    return value;
  };
  const manifests = (location: string): Promise<ManifestFile[]> =>
    cached(
      location,
      () => readManifestList(io, location),
      (list) => list.length,
    );
  const entries = (manifest: ManifestFile): Promise<ManifestEntry[]> =>
    cached(
      manifest.manifest_path,
      () => readManifest(io, manifest),
      (list) => list.length,
    );
  return {
    /** The metadata file at a location. */
    metadata(location: string): Promise<TableMetadata> {
      return cached(
        location,
        () => readMetadata(io, location),
        (metadata) => metadata.snapshots.length,
      );
    },

    /**
     * The data files of the newest snapshot or of the given one, newest first; none for a table without snapshots.
     * A snapshot with delete files is refused (`deletes_unsupported`): its rows cannot be told from its data files.
     */
    async files(metadata: TableMetadata, snapshotId?: bigint | string): Promise<LiveFile[]> {
      const snapshot = findSnapshot(metadata, snapshotId);
      if (!snapshot) return [];
      const found: LiveFile[] = [];
      for (const manifest of await manifests(snapshot['manifest-list'])) {
        for (const entry of await entries(manifest)) {
          if (entry.status === STATUS.deleted) continue;
          const file = entry.data_file;
          if (file.content !== CONTENT.data) {
            throw new LakehouseError('deletes_unsupported', 'The table has delete files, which cannot be read yet');
          }
          if (file.file_format.toUpperCase() !== 'PARQUET') {
            throw new LakehouseError('unsupported_type', 'The table has data files that are not Parquet');
          }
          found.push({
            location: file.file_path,
            recordCount: file.record_count,
            sizeBytes: file.file_size_in_bytes,
            snapshotId: entry.snapshot_id!,
            figures: figuresOf(file),
          });
        }
      }
      return found;
    },
  };
}

function figuresOf(file: DataFile): FileFigures {
  return {
    nulls: (file.null_value_counts ?? null) as ColumnMap<bigint>,
    lower: (file.lower_bounds ?? null) as ColumnMap<Buffer>,
    upper: (file.upper_bounds ?? null) as ColumnMap<Buffer>,
  };
}

/** Rows and bytes of a list of files, from the manifests alone. */
export function countFiles(files: readonly LiveFile[]): { rows: bigint; bytes: bigint } {
  return files.reduce((sum, file) => ({ rows: sum.rows + file.recordCount, bytes: sum.bytes + file.sizeBytes }), {
    rows: 0n,
    bytes: 0n,
  });
}
