import type { Draft } from '@weir/engine';
import {
  type CommitInput,
  type PartitionSpec,
  type PreparedCommit,
  prepareAppend,
  prepareOverwrite,
  prepareReplace,
  prepareRowDelta,
  type StagedFile,
  stringifyMetadata,
  type TableSchema,
  toLocation,
} from '@weir/lakehouse';
import { datasetProblems, type TableCommit } from '../contract.ts';
import type { CurrentTable, TableDeps } from '../store/table-store.ts';
import { commitSummary } from './commit-id.ts';
import { type DeferredWrites, deferWrites } from './deferred-writes.ts';
import { checkStagedFiles } from './staged-files.ts';

/** The new state of one table, made and not yet written. */
export interface TableDraft {
  commit: TableCommit;
  /** The table that it stands on. */
  from: CurrentTable;
  files: readonly StagedFile[];
  prepared: PreparedCommit;
  writes: DeferredWrites;
}

/** Makes the state of a table after a commit, on top of the table as it was read. Nothing is written. */
export async function draftTable(
  { io, writesMetadata }: Pick<TableDeps, 'io'> & { writesMetadata: boolean },
  runId: string,
  { commit, table }: { commit: TableCommit; table: CurrentTable },
): Promise<TableDraft> {
  const files = await checkStagedFiles(io, table.metadata, commit.files);
  const writes = deferWrites(io);
  const { metadata, metadataLocation } = table;
  // The log of a table names its first metadata, so that lies there too; a draft of the table has written it.
  const isUnwritten = table.isNew === true && !(await io.exists(metadataLocation));
  if (isUnwritten) await writes.io.write(metadataLocation, stringifyMetadata(metadata));
  const summary = commitSummary(runId, commit);
  const input = { io: writes.io, metadata, metadataLocation, files, summary, writeMetadata: writesMetadata };
  const prepared = await prepare({ ...input, ...grown(commit), ...known(commit) }, commit);
  return { commit, from: table, files, prepared, writes };
}

/** Every re-draft of a commit makes the snapshot that readers of its draft know. */
const known = ({ snapshotId = null }: TableCommit) => (snapshotId === null ? {} : { snapshotId: BigInt(snapshotId) });
const grown = ({ schema }: TableCommit) => (schema === undefined ? {} : { schema: schema as TableSchema });

function prepare(input: CommitInput, commit: TableCommit): Promise<PreparedCommit> {
  const { replaceSchema, replaceSpec, partitions } = commit;
  if (partitions !== undefined && commit.mode !== 'overwrite') throw datasetProblems.stagedFileRefused();
  if (replaceSchema !== undefined || replaceSpec !== undefined) {
    if (commit.mode !== 'overwrite' || partitions !== undefined) throw datasetProblems.stagedFileRefused();
    const [schema, spec] = [replaceSchema as TableSchema | undefined, replaceSpec as PartitionSpec | undefined];
    return prepareReplace({ ...input, schema, spec });
  }
  if (commit.mode === 'append') return prepareAppend(input);
  if (commit.mode === 'fence') return prepareAppend({ ...input, allowEmpty: true });
  if (commit.mode === 'overwrite') return prepareOverwrite({ ...input, ...(partitions && { partitions }) });
  const { deletes = [] } = commit;
  const baseSnapshotId = baseOf(input, commit);
  return prepareRowDelta({ ...input, removed: deletes.map(toLocation), baseSnapshotId });
}

/** Positions hold for the files of one snapshot alone; files that take the place of others, while those are there. */
function baseOf({ metadata, files }: CommitInput, { base }: TableCommit): bigint | undefined {
  if (base !== undefined) return base === null ? undefined : BigInt(base);
  if (files.some(({ content }) => content === 'position_deletes')) throw datasetProblems.stagedFileRefused();
  return metadata['current-snapshot-id'];
}

/** A draft as the engine knows it. */
export function draftOf(table: number, { prepared, writes }: TableDraft): Draft {
  return { table, snapshotId: prepared.snapshotId?.toString() ?? null, files: writes.locations() };
}
