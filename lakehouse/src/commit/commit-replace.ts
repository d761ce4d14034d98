import {
  type DataFile,
  MANIFEST_CONTENT,
  type ManifestEntry,
  type ManifestFile,
  readManifest,
  STATUS,
} from '../manifest/manifest.ts';
import { deleteMatcher, type PlacedFile } from '../manifest/match-deletes.ts';
import { partitionKeys } from '../partition/partition-key.ts';
import type { Operation, Replacement, Rewritten, SnapshotDraft } from './snapshot-draft.ts';
import type { PlacedDataFile } from './snapshot-summary.ts';

/** A manifest with its live entries. */
type OpenManifest = { readonly manifest: ManifestFile; readonly live: readonly ManifestEntry[] };

/** Manifests that are read at the same time. */
const READS_AT_ONCE = 16;

async function openManifests(draft: SnapshotDraft, manifests: readonly ManifestFile[]): Promise<OpenManifest[]> {
  const open: OpenManifest[] = [];
  for (let at = 0; at < manifests.length; at += READS_AT_ONCE) {
    const read = manifests.slice(at, at + READS_AT_ONCE).map(async (manifest) => {
      const entries = await readManifest(draft.io, manifest);
      return { manifest, live: entries.filter((entry) => entry.status !== STATUS.deleted) };
    });
    open.push(...(await Promise.all(read)));
  }
  return open;
}

/** What places the files of manifests for the matching of deletes. */
function placer({ metadata }: SnapshotDraft): (open: OpenManifest) => PlacedFile[] {
  const keyOf = partitionKeys(metadata);
  return ({ manifest: { partition_spec_id: specId }, live }) =>
    live.map((entry) => ({ entry, specId, partitionKey: keyOf(specId, entry.data_file.partition) }));
}

/**
 * Delete files of which no row can matter any more, as every data file that they could be about is gone. Deletes that
 * this commit itself adds are not among them.
 */
function dangling(draft: SnapshotDraft, deletes: readonly OpenManifest[], data: readonly PlacedFile[]): Set<string> {
  const all = deletes.flatMap(placer(draft));
  const matching = deleteMatcher(all, draft.metadata);
  const needed = new Set(data.flatMap((file) => matching(file).map((one) => one.location)));
  return new Set(all.map(({ entry }) => entry.data_file.file_path).filter((location) => !needed.has(location)));
}

/** The manifests after some of their files went. */
function without(
  draft: SnapshotDraft,
  open: readonly OpenManifest[],
  goes: (entry: ManifestEntry, specId: number) => boolean,
): { kept: ManifestFile[]; rewritten: Rewritten[]; removed: PlacedDataFile[] } {
  const kept: ManifestFile[] = [];
  const rewritten: Rewritten[] = [];
  const removed: PlacedDataFile[] = [];
  for (const { manifest, live } of open) {
    const specId = manifest.partition_spec_id;
    const gone = new Set(live.filter((entry) => goes(entry, specId)));
    if (gone.size === 0) {
      kept.push(manifest);
      continue;
    }
    const entries = live.map((entry) =>
      gone.has(entry)
        ? { ...entry, status: STATUS.deleted, snapshot_id: draft.snapshotId }
        : { ...entry, status: STATUS.existing },
    );
    rewritten.push({ specId, entries });
    for (const entry of gone) removed.push({ specId, file: entry.data_file });
  }
  return { kept, rewritten, removed };
}

/** Takes data files out of the table, and the delete files that were about them alone. */
export async function removeFiles(
  draft: SnapshotDraft,
  operation: Operation,
  goes: (file: DataFile, specId: number) => boolean,
): Promise<Replacement> {
  const { deletes = [], data = [] } = Object.groupBy(draft.current, ({ content }) =>
    content === MANIFEST_CONTENT.deletes ? 'deletes' : 'data',
  );
  const openData = await openManifests(draft, data);
  const left = without(draft, openData, (entry, specId) => goes(entry.data_file, specId));
  if (left.removed.length === 0 || deletes.length === 0) {
    return { operation, ...left, kept: [...left.kept, ...deletes] };
  }
  const openDeletes = await openManifests(draft, deletes);
  const remaining = openData.flatMap(placer(draft)).filter(({ entry, specId }) => !goes(entry.data_file, specId));
  const useless = dangling(draft, openDeletes, remaining);
  const leftDeletes = without(draft, openDeletes, (entry) => useless.has(entry.data_file.file_path));
  return {
    operation,
    kept: [...left.kept, ...leftDeletes.kept],
    rewritten: [...left.rewritten, ...leftDeletes.rewritten],
    removed: [...left.removed, ...leftDeletes.removed],
  };
}
