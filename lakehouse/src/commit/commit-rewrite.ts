import { LakehouseError } from '../error/error.ts';
import { type DataFile, MANIFEST_CONTENT, type ManifestFile, readManifest, STATUS } from '../manifest/manifest.ts';
import { type DeleteMatcher, deleteMatcher, type PlacedFile, sameSpelling } from '../manifest/match-deletes.ts';
import type { StagedFile } from '../manifest/stats.ts';
import { findSnapshot } from '../metadata/metadata.ts';
import { beginChange } from './commit-base.ts';
import { finishChange } from './commit-finish.ts';
import { removeFiles } from './commit-replace.ts';
import { changeSnapshot } from './commit-snapshot.ts';
import type { PreparedCommit, RewriteInput, RewrittenBin } from './commit-types.ts';
import type { SnapshotDraft } from './snapshot-draft.ts';

/** A rewrite and the bins that it leaves out, by their places in the input. */
export type PreparedRewrite = PreparedCommit & { readonly dropped: readonly number[] };

/**
 * A commit that puts files in the place of others with the same rows, in a `replace` snapshot, and joins small manifests. A bin of
 * which a file is gone, or met deletes since `readAt`, is dropped and the others stay; without any bin left it makes no snapshot, unless
 * the input has no bins. A bin whose row counts do not match is `rewrite_changed_rows`.
 */
export async function prepareRewrite(input: RewriteInput): Promise<PreparedRewrite> {
  const { bins, readAt, summary = {} } = input;
  const begun = beginChange(input);
  const dropped: number[] = [];
  const commit = { ...input, summary, files: [], allowEmpty: bins.length === 0 };
  if (findSnapshot(begun.metadata) === undefined) {
    return { ...(await finishChange(input, { ...begun, updates: [] })), dropped: bins.map((_, at) => at) };
  }
  const { change, pending, snapshotId } = await changeSnapshot(commit, begun, async (draft) => {
    const live = await liveFiles(draft);
    const kept = bins.filter((bin, at) => {
      const isKept = isUntouched(bin, live, readAt);
      if (isKept) assertSameRows(bin, live);
      else dropped.push(at);
      return isKept;
    });
    const goes = new Set(kept.flatMap(({ removed }) => removed.map(sameSpelling)));
    const files: readonly StagedFile[] = kept.flatMap((bin) => bin.files);
    const replacement = await removeFiles(draft, 'replace', (file) => goes.has(sameSpelling(file.file_path)));
    return { ...replacement, rewrite: { files, sequenceNumber: readAt } };
  });
  const nothing = snapshotId === undefined ? { ...change, updates: [] } : change;
  return { ...(await finishChange(input, nothing, { pending, snapshotId })), dropped };
}

type LiveFiles = { readonly files: ReadonlyMap<string, PlacedFile>; readonly deletesOf: DeleteMatcher };

/** The data files of the newest snapshot by location, and their deletes. */
async function liveFiles({ io, metadata, current }: SnapshotDraft): Promise<LiveFiles> {
  const placed = async (manifest: ManifestFile): Promise<PlacedFile[]> => {
    const entries = await readManifest(io, manifest);
    return entries
      .filter(({ status }) => status !== STATUS.deleted)
      .map((entry) => ({ entry, specId: manifest.partition_spec_id }));
  };
  const files = new Map<string, PlacedFile>();
  const deletes: PlacedFile[] = [];
  for (const manifest of current) {
    const found = await placed(manifest);
    if (manifest.content === MANIFEST_CONTENT.deletes) deletes.push(...found);
    else for (const file of found) files.set(sameSpelling(file.entry.data_file.file_path), file);
  }
  return { files, deletesOf: deleteMatcher(deletes, metadata) };
}

/** Whether the files of a bin are all there, and as they were when they were read. */
function isUntouched({ removed }: RewrittenBin, { files, deletesOf }: LiveFiles, readAt: bigint): boolean {
  return removed.every((location) => {
    const file = files.get(sameSpelling(location));
    return file !== undefined && deletesOf(file).every(({ sequenceNumber }) => sequenceNumber <= readAt);
  });
}

function assertSameRows({ removed, files, deletedRows }: RewrittenBin, live: LiveFiles): void {
  const rowsOf = (file: DataFile | undefined): bigint => file?.record_count ?? 0n;
  const before = removed.reduce((sum, one) => sum + rowsOf(live.files.get(sameSpelling(one))?.entry.data_file), 0n);
  const after = files.reduce((sum, one) => sum + BigInt(one.record_count), 0n);
  if (before - deletedRows === after && deletedRows >= 0n) return;
  throw new LakehouseError('rewrite_changed_rows', 'The rows of rewritten files are not those of the files before');
}
