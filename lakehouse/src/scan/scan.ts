import { LakehouseError } from '../error/error.ts';
import type { DeleteFile, FileFigures, LiveFile } from '../manifest/live-file.ts';
import {
  CONTENT,
  type ColumnMap,
  type DataFile,
  MANIFEST_CONTENT,
  type ManifestEntry,
  type ManifestFile,
  readManifest,
  STATUS,
  snapshotManifests,
} from '../manifest/manifest.ts';
import { deleteMatcher, type PlacedFile } from '../manifest/match-deletes.ts';
import { findSnapshot, type Snapshot, type TableMetadata } from '../metadata/metadata.ts';
import { readMetadata } from '../metadata/read-metadata.ts';
import { type PartitionKey, partitionKeys } from '../partition/partition-key.ts';
import type { FileIO } from '../store/fileio.ts';
import { createLru } from '../store/lru.ts';
import { type TableFiles, tableFiles } from '../store/table-files.ts';
import type { Condition } from './condition.ts';
import { type PartitionPruner, partitionPruner } from './prune-partition.ts';

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
  // What was read for one table holds for that table alone: its folder bounds what a file may name.
  const manifests = (files: TableFiles, snapshot: Snapshot): Promise<ManifestFile[]> =>
    cached(
      `${files.folder} ${snapshot['manifest-list'] ?? `manifests of ${snapshot['snapshot-id']}`}`,
      () => snapshotManifests(files, snapshot),
      (list) => list.length,
    );
  const entries = (files: TableFiles, manifest: ManifestFile): Promise<ManifestEntry[]> =>
    cached(
      `${files.folder} ${manifest.manifest_path}`,
      () => readManifest(files, manifest),
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

    /** Takes metadata that was just written as what the file at its location says, so that it is not read again. */
    remember(location: string, metadata: TableMetadata): void {
      cache.set(location, metadata, 1 + metadata.snapshots.length);
    },

    /** The manifests of the newest snapshot, without their entries; empty for a table without snapshots. */
    async manifests(metadata: TableMetadata): Promise<readonly ManifestFile[]> {
      const snapshot = findSnapshot(metadata);
      return snapshot === undefined ? [] : manifests(tableFiles(io, metadata), snapshot);
    },

    /**
     * The data files of the newest snapshot or of the given one, newest first, each with the deletes that go with it;
     * none for a table without snapshots. With conditions, files may be left out of which the partition rules out every
     * fitting row. `file_outside_table` when the table, or a file of it, names one outside of the table's folder.
     */
    async files(
      metadata: TableMetadata,
      snapshotId?: bigint | string,
      { conditions = [] }: { conditions?: readonly Condition[] } = {},
    ): Promise<LiveFile[]> {
      const table = tableFiles(io, metadata);
      const snapshot = findSnapshot(metadata, snapshotId);
      if (!snapshot) return [];
      const pruners = new Map<number, PartitionPruner>();
      const prunerOf = (specId: number): PartitionPruner => {
        const pruner = pruners.get(specId) ?? partitionPruner(metadata, specId, conditions);
        pruners.set(specId, pruner);
        return pruner;
      };
      const data: PlacedFile[] = [];
      const deletes: PlacedFile[] = [];
      for (const manifest of await manifests(table, snapshot)) {
        const specId = manifest.partition_spec_id;
        const pruner = prunerOf(specId);
        const isData = manifest.content === MANIFEST_CONTENT.data;
        if (isData && !pruner.mayList(manifest.partitions)) continue;
        for (const entry of await entries(table, manifest)) {
          if (entry.status === STATUS.deleted) continue;
          if (isData && !pruner.mayHold(entry.data_file.partition)) continue;
          assertReadable(entry.data_file);
          (entry.data_file.content === CONTENT.data ? data : deletes).push({ entry, specId });
        }
      }
      const matching = deleteMatcher(deletes, metadata);
      const keyOf = partitionKeys(metadata);
      return data.map((placed) => liveFile(placed, { keyOf, deletes: matching(placed) }));
    },
  };
}

function assertReadable(file: DataFile): void {
  if (file.file_format.toUpperCase() === 'PARQUET') return;
  if (file.content === CONTENT.data) {
    throw new LakehouseError('unsupported_type', 'The table has data files that are not Parquet');
  }
  throw new LakehouseError('deletes_unsupported', 'The table has delete files that are not Parquet');
}

function liveFile(
  { entry, specId }: PlacedFile,
  { keyOf, deletes }: { keyOf: PartitionKey; deletes: readonly DeleteFile[] },
): LiveFile {
  const file = entry.data_file;
  return {
    location: file.file_path,
    recordCount: file.record_count,
    sizeBytes: file.file_size_in_bytes,
    snapshotId: entry.snapshot_id!,
    sequenceNumber: entry.sequence_number ?? 0n,
    specId,
    partition: file.partition,
    partitionKey: keyOf(specId, file.partition),
    deletes,
    figures: figuresOf(file),
  };
}

function figuresOf(file: DataFile): FileFigures {
  return {
    nulls: (file.null_value_counts ?? null) as ColumnMap<bigint>,
    lower: (file.lower_bounds ?? null) as ColumnMap<Buffer>,
    upper: (file.upper_bounds ?? null) as ColumnMap<Buffer>,
  };
}
