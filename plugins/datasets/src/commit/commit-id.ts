import type { Snapshot } from '@weir/lakehouse';
import type { CommitRequest, TableCommit } from '../contract.ts';

/** The run whose rows, or whose checkpoint, a part of a commit is. */
export const runOf = (runId: string, part: { runId?: string }): string => part.runId ?? runId;

/** What identifies a commit of one table, whatever attempt makes it. */
export function commitId(runId: string, commit: Pick<TableCommit, 'runId' | 'streamId' | 'batch'>): string {
  const { streamId, batch } = commit;
  return `${runOf(runId, commit)}:${streamId}:${batch}`;
}

/**
 * A commit id with the attempt that made the commit. Two attempts that do not know of each other may commit different files
 * under one id, of which the table takes only one.
 */
export function commitName(runId: string, commit: TableCommit): string {
  return nameOf(commitId(runId, commit), String(commit.attempt));
}

/** The names of a commit: its tables may be of several streams. */
export function commitNames({ runId, tables }: CommitRequest): string[] {
  return [...new Set(tables.map((commit) => commitName(runId, commit)))];
}

/** The name of the commit that made a snapshot; undefined for another writer. */
export function nameOfSnapshot(snapshot: Snapshot | undefined): string | undefined {
  const { 'weir.commit-id': id, 'weir.attempt': attempt } = snapshot?.summary ?? {};
  return id === undefined || attempt === undefined ? undefined : nameOf(id, attempt);
}

function nameOf(id: string, attempt: string): string {
  return `${id}@${attempt}`;
}

/** What the snapshot of a commit says of it; nothing else carries the identity of a run. A fence brings nothing of a run. */
export function commitSummary(runId: string, commit: TableCommit): Record<string, string> {
  if (commit.mode === 'fence') return { 'weir.commit-id': commitId(runId, commit), 'weir.mode': commit.mode };
  return {
    'weir.run-id': runOf(runId, commit),
    'weir.stream-id': commit.streamId,
    'weir.attempt': String(commit.attempt),
    'weir.batch': String(commit.batch),
    'weir.commit-id': commitId(runId, commit),
    'weir.state-sha256': commit.stateSha256,
    // An overwrite of some partitions replaces no rows of others: resuming and expiry go by this word.
    'weir.mode': commit.partitions === undefined ? commit.mode : 'partition_overwrite',
    'weir.generation': String(commit.generation),
  };
}
