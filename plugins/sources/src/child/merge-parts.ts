import {
  createScanner,
  type FileIO,
  type PartitionSpec,
  readMetadata,
  type Stager,
  type TableSchema,
} from '@weir/plugin-datasets/stage';
import type { MergeWork } from '../model/process/messages.ts';
import type { MergedBatch, StagedPart } from '../model/process/sync-types.ts';

export interface MergeDeps {
  io: FileIO;
  stager: Stager;
  runId: string;
}

/**
 * Merges staged rows, in the order of their lines, into the table as a metadata file shows it. Changes nothing: what comes
 * of it are files for a commit on that very snapshot, which the caller names as `base`.
 */
export async function mergeParts(
  { io, stager, runId }: MergeDeps,
  work: Omit<MergeWork, 'parts'> & { parts: readonly Pick<StagedPart, 'files'>[] },
): Promise<MergedBatch> {
  const table = work.into === undefined ? undefined : await readMetadata(io, work.into);
  const { files, removed, ...counts } = await stager.merge({
    schema: work.shape.schema as TableSchema,
    spec: work.shape.spec as PartitionSpec,
    key: work.shape.key,
    replacedFiles: work.replacedFiles,
    batch: work.parts.flatMap(({ files }) => files),
    live: table === undefined ? [] : await createScanner({ io }).files(table),
    ...(table === undefined ? {} : { table }),
    folder: work.folder,
    runId,
    mode: work.mode,
    missing: work.mode === 'soft_delete' && work.isComplete,
    ...(work.deleteMarker === undefined ? {} : { deleteMarker: work.deleteMarker }),
  });
  return { files, removed, base: null, ...counts, keepsBatch: work.shape.key.length === 0 };
}
