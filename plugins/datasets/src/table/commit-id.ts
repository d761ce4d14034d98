import type { TableCommit } from '../contract.ts';

/** What identifies a commit of one table, whatever attempt makes it. */
export function commitId(runId: string, { streamId, batch }: Pick<TableCommit, 'streamId' | 'batch'>): string {
  return `${runId}:${streamId}:${batch}`;
}

/** What the snapshot of a commit says of it; nothing else carries the identity of a run. */
export function commitSummary(runId: string, commit: TableCommit): Record<string, string> {
  return {
    'weir.run-id': runId,
    'weir.stream-id': commit.streamId,
    'weir.attempt': String(commit.attempt),
    'weir.batch': String(commit.batch),
    'weir.commit-id': commitId(runId, commit),
    'weir.state-sha256': commit.stateSha256,
    'weir.mode': commit.mode,
    'weir.generation': String(commit.generation),
  };
}
