import type { CommitBatch } from '@weir/engine';
import { type PreparedTable, quarantineOf, type ResumePoint, type TableCommit } from '@weir/plugin-datasets/contract';
import type { Sync } from '../../../model/process/sync-types.ts';
import type { PlannedStream } from '../plan/plan-sync.ts';

/** What is to be committed for a stream, besides the batch itself. */
export interface CommitFacts {
  stream: PlannedStream;
  /** The stream's table as it is by now. */
  prepared: PreparedTable;
  /** And its quarantine table, where lines were rejected. */
  quarantine: PreparedTable | undefined;
  /** Of the state that is stored with it. */
  stateSha256: string;
  /** The commits that the stream's newest snapshots must be of, where anybody asks. */
  follows: ResumePoint['follows'];
  attempt: number;
}

/**
 * The changes that one batch brings: to the stream's table, and to its quarantine table if lines were rejected. A state alone
 * makes no table.
 */
export function tableCommits(
  { stream: id, number, batch, merged, replaces, changesTable }: CommitBatch<Sync>,
  { stream, prepared, quarantine, stateSha256, follows, attempt }: CommitFacts,
): TableCommit[] {
  const { ref, row } = stream;
  if (!changesTable && prepared.brings.create !== undefined) return [];
  const facts = { streamId: id, attempt, batch: number, stateSha256, generation: row.generation };
  const staged = batch.parts.flatMap(({ files }) => files);
  const table: TableCommit = {
    ref,
    mode: 'append',
    files: merged?.files ?? staged,
    staged: [...staged, ...(merged?.files ?? [])],
    ...facts,
    ...(changesTable && prepared.brings),
    ...(follows && { follows: follows.rows }),
  };
  if (replaces)
    Object.assign(table, { mode: 'overwrite', ...(prepared.replaces && { replaceSchema: prepared.schema }) });
  else if (merged !== undefined)
    Object.assign(table, { mode: 'row_delta', deletes: merged.removed, base: merged.base });
  const rejected = batch.quarantine.flatMap(({ files }) => files);
  if (rejected.length === 0) return [table];
  const ours = follows && { follows: follows.quarantine };
  const lines = { mode: 'append' as const, files: rejected, staged: rejected, ...quarantine?.brings };
  return [table, { ref: quarantineOf(ref), ...lines, ...facts, ...ours }];
}
