import { createHash } from 'node:crypto';
import type { CommitBatch } from '@weir/engine';
import { type PreparedTable, quarantineOf, type ResumePoint, type TableCommit } from '@weir/plugin-datasets/contract';
import type { Sync } from '../../../model/process/sync-types.ts';
import type { PlannedStream } from '../plan/plan-sync.ts';

/** What is to be committed for a stream, besides the batch itself. */
export interface CommitFacts {
  stream: PlannedStream;
  /** The stream's table as it is by now. */
  prepared: PreparedTable;
  /** The state that is stored with it. */
  state: string | undefined;
  /** The commits that the stream's newest snapshots must be of, where anybody asks. */
  follows: ResumePoint['follows'];
  attempt: number;
}

/** The changes that one batch brings: to the stream's table, and to its quarantine table if lines were rejected. */
export function tableCommits(
  { stream: id, number, batch, merged, replaces }: CommitBatch<Sync>,
  { stream, prepared, state, follows, attempt }: CommitFacts,
): TableCommit[] {
  const { ref, row } = stream;
  const facts = {
    streamId: id,
    attempt,
    batch: number,
    stateSha256: sha256(state ?? ''),
    generation: row.generation,
  };
  const staged = batch.parts.flatMap(({ files }) => files);
  const table: TableCommit = {
    ref,
    mode: 'append',
    files: merged?.files ?? staged,
    staged: [...staged, ...(merged?.files ?? [])],
    ...facts,
    ...(follows && { follows: follows.rows }),
  };
  if (replaces)
    Object.assign(table, { mode: 'overwrite', ...(prepared.replaces && { replaceSchema: prepared.schema }) });
  else if (merged !== undefined)
    Object.assign(table, { mode: 'row_delta', deletes: merged.removed, base: merged.base });
  const rejected = batch.quarantine.flatMap(({ files }) => files);
  if (rejected.length === 0) return [table];
  const ours = follows && { follows: follows.quarantine };
  return [table, { ref: quarantineOf(ref), mode: 'append', files: rejected, staged: rejected, ...facts, ...ours }];
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
