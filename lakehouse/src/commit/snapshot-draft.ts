import type { DataFile, ManifestEntry, ManifestFile } from '../manifest/manifest.ts';
import type { PendingFile } from '../manifest/manifest-write.ts';
import type { StagedFile } from '../manifest/stats.ts';
import type { Snapshot, TableMetadata } from '../metadata/metadata.ts';
import type { TableFiles } from '../store/table-files.ts';

/** The operations that a snapshot's summary may name. */
export type Operation = 'append' | 'overwrite' | 'delete' | 'replace';

/** A snapshot in the making, on top of the newest one. */
export type SnapshotDraft = {
  readonly io: TableFiles;
  readonly metadata: TableMetadata;
  readonly parent: Snapshot | undefined;
  /** The manifests of the newest snapshot. */
  readonly current: readonly ManifestFile[];
  readonly snapshotId: bigint;
};

/** Entries of a manifest that is written anew, of one spec and one content. */
export type Rewritten = { readonly specId: number; readonly entries: readonly ManifestEntry[] };

/** What a commit does with the manifests of the snapshot before it. */
export type Replacement = {
  readonly operation: Operation;
  readonly kept: readonly ManifestFile[];
  /** Manifests that take the place of others, with deleted entries for the files that go. */
  readonly rewritten: readonly Rewritten[];
  /** The files that go. */
  readonly removed: readonly { readonly specId: number; readonly file: DataFile }[];
  /** Of a rewrite: what it brings for the same rows. */
  readonly rewrite?: Rewrite;
};

/** The files of a rewrite, which hold rows that the table has already. */
export type Rewrite = {
  /** In place of the files of the input. */
  readonly files: readonly StagedFile[];
  /** Sequence number of their rows: that of the snapshot which they were read from. */
  readonly sequenceNumber: bigint;
};

/** A manifest of the snapshot: one that is taken over, or entries that become one. */
export type ManifestSource = { readonly manifest: ManifestFile } | Rewritten;

/** What makes manifests for a snapshot. */
export type ManifestMaker = {
  readonly draft: SnapshotDraft;
  readonly make: (rewritten: Rewritten) => ManifestFile;
  /** Whether manifests of a spec can be made; those of a spec that only newer writers know stay as they are. */
  readonly writes: (specId: number) => boolean;
  /** Files that were made so far. */
  readonly pending: PendingFile[];
};
