import type { RunRecord } from '@weir/kernel';
import { RUN_STATUSES } from '@weir/kernel/contract';
import type { SyncStatsView } from '../../contract.ts';
import { NO_ROWS, type SyncRunRow } from './entity.ts';

const MS_PER_SECOND = 1_000;
type Unsummed = 'rowsDeduplicated' | 'filesRead' | 'filesUnchanged' | 'filesGone';
type Counters = Pick<SyncRunRow, Exclude<keyof typeof NO_ROWS, Unsummed>>;

/** The syncs of a window, newest first, and what the plugin counted for each. */
export interface StatsInput {
  sourceId: string;
  since: string | undefined;
  runs: readonly RunRecord[];
  counters: ReadonlyMap<string, Counters>;
  truncated: boolean;
}

/** What the syncs of a window did together. Percentiles are of the nearest rank. Pure. */
export function statsOf({ sourceId, since, runs, counters, truncated }: StatsInput): SyncStatsView {
  const count = (status: RunRecord['status']) => runs.filter((run) => run.status === status).length;
  const judged = runs.filter(({ status }) => status === 'succeeded' || status === 'failed');
  const lastSuccess = runs.find(({ status }) => status === 'succeeded');
  const sum = (field: keyof Counters) =>
    runs.reduce((total, run) => total + (counters.get(run.runId) ?? NO_ROWS)[field], 0);
  return {
    source_id: sourceId,
    since: since ?? null,
    runs: runs.length,
    truncated,
    by_status: Object.fromEntries(RUN_STATUSES.map((status) => [status, count(status)])) as SyncStatsView['by_status'],
    success_rate: judged.length === 0 ? null : count('succeeded') / judged.length,
    duration_seconds: durationsOf(judged),
    rows_read: sum('rowsRead'),
    rows_written: sum('rowsWritten'),
    rows_with_errors: sum('rowsWithErrors'),
    rows_with_extra: sum('rowsWithExtra'),
    rows_rejected: sum('rowsRejected'),
    bytes_read: sum('bytesRead'),
    files_left_out: sum('filesLeftOut'),
    rows_left_out: sum('rowsLeftOut'),
    last_success:
      lastSuccess?.endedAt === undefined
        ? null
        : { run_id: lastSuccess.runId, ended_at: lastSuccess.endedAt.toISOString() },
    streak: streakOf(judged),
  };
}

function durationsOf(runs: readonly RunRecord[]): SyncStatsView['duration_seconds'] {
  const seconds = runs
    .flatMap(({ startedAt, endedAt }) =>
      startedAt && endedAt ? [(endedAt.getTime() - startedAt.getTime()) / MS_PER_SECOND] : [],
    )
    .sort((a, b) => a - b);
  const rank = (share: number) => seconds[Math.max(0, Math.ceil(share * seconds.length) - 1)] ?? 0;
  return seconds.length === 0 ? null : { p50: rank(0.5), p95: rank(0.95), max: rank(1) };
}

/** How many of the newest ended alike, among those that succeeded or failed. */
function streakOf(judged: readonly RunRecord[]): SyncStatsView['streak'] {
  const status = judged[0]?.status;
  if (status !== 'succeeded' && status !== 'failed') return null;
  const broken = judged.findIndex((run) => run.status !== status);
  return { status, length: broken === -1 ? judged.length : broken };
}
