import { createHash } from 'node:crypto';
import type { CommitBatch } from '@weir/engine';
import { quarantineOf, type TableCommit } from '@weir/plugin-datasets/contract';
import type { PlannedStream } from './plan-sync.ts';
import type { Sync } from './sync-types.ts';

/** What is to be committed for a stream, besides the batch itself. */
export interface CommitFacts {
  stream: PlannedStream;
  /** The state that is stored with it. */
  state: string | undefined;
  /** The commit id that the stream's last snapshot must have, where anybody asks. */
  follows: string | null | undefined;
  attempt: number;
}

/** The changes that one batch brings: to the stream's table, and to its quarantine table if lines were rejected. */
export function tableCommits(
  { stream: id, number, batch, merged, replaces }: CommitBatch<Sync>,
  { stream, state, follows, attempt }: CommitFacts,
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
    ...facts,
    ...(follows === undefined ? {} : { follows }),
  };
  if (replaces) table.mode = 'overwrite';
  else if (merged !== undefined)
    Object.assign(table, { mode: 'row_delta', deletes: merged.removed, base: merged.base });
  const rejected = batch.quarantine.flatMap(({ files }) => files);
  if (rejected.length === 0) return [table];
  return [table, { ref: quarantineOf(ref), mode: 'append', files: rejected, ...facts }];
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
